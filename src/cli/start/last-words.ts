import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** As much of the end of a log as is looked at, in bytes. */
const TAIL = 16 * 1024;

/**
 * What the end of a program's log says of why it ended: the message of its last record when that is of a fault, or of an error that Node
 * printed; no stack.
 */
export function lastWords(logFile: string): readonly string[] {
  const lines = tail(logFile).trimEnd().split("\n");
  const record = readRecord(lines.at(-1) ?? "");
  if (record !== undefined) return record.split("\n").filter((line) => line !== "" && !isStack(line));
  const said = lines.findLast((line) => line !== "" && !isStack(line) && !/^\s|^[}\]]|^Node\.js v/.test(line));
  return said === undefined ? [] : [said];
}

interface LogRecord {
  readonly severity?: string;
  readonly message?: string;
  readonly error?: { readonly message?: string };
}

const isStack = (line: string): boolean => /^ +at /.test(line);

/** The message of a log record, with that of its error; empty for a record of what goes on as it should. */
function readRecord(line: string): string | undefined {
  try {
    const { severity, message, error } = JSON.parse(line) as LogRecord;
    if (severity !== "error" && severity !== "fatal") return "";
    return [message, error?.message].filter(Boolean).join(": ");
  } catch {
    return undefined;
  }
}

function tail(file: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(TAIL, size));
    return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(descriptor);
  }
}
