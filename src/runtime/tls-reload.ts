import { type FSWatcher, watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createSecureContext } from "node:tls";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import { aborted, type Runnable } from "./runnable.ts";
import type { KeyAndCertificate } from "./self-signed.ts";

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate that is renewed in its files while the program runs. */
export interface ReloadingCertificate extends Runnable {
  readonly current: KeyAndCertificate;
  /** Called with each later one. */
  onChange(listener: (next: KeyAndCertificate) => void): void;
}

/** The first reading failed: there is nothing to go on with. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
  readonly code = "CertificateUnusable";
}

/** Several files change together, and not all at the same moment. */
const SETTLE_MS = 1000;
/** Where the system tells of no change, as some network mounts do not. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Reads a certificate and its key (PEM), and again whenever something changes in their folders; how a mounted Secret is renewed. A pair that
 * cannot be read or does not fit together is logged, and the old one stays. Rejects with `CertificateError` when the first is unusable.
 */
export async function loadCertificate(
  files: CertificateFiles,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<ReloadingCertificate> {
  let current = await read(files);
  const listeners: ((next: KeyAndCertificate) => void)[] = [];

  const look = async (): Promise<void> => {
    try {
      const next = await read(files);
      if (next.certificate === current.certificate && next.key === current.key) return;
      current = next;
      log.info({ certFile: files.certFile }, "certificate reloaded");
      for (const listener of listeners) listener(next);
    } catch (error) {
      log.error({ error, certFile: files.certFile }, "certificate not reloaded");
    }
  };
  return {
    name: "certificate",
    get current() {
      return current;
    },
    onChange: (listener) => void listeners.push(listener),
    run: async (signal) => {
      let changed = Promise.withResolvers<void>();
      const watchers = watchFolders(files, () => changed.resolve(), log);
      const end = aborted(signal);
      try {
        while (!signal.aborted) {
          const cancel = clock.after(LOOK_AGAIN_MS, () => changed.resolve());
          await Promise.race([changed.promise, end]);
          cancel();
          if (signal.aborted) break;
          await clock.sleep(SETTLE_MS, signal);
          changed = Promise.withResolvers<void>();
          await look();
        }
      } finally {
        for (const watcher of watchers) watcher.close();
      }
    },
  };
}

async function read({ certFile, keyFile }: CertificateFiles): Promise<KeyAndCertificate> {
  try {
    const [certificate, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    createSecureContext({ cert: certificate, key, ca: [] });
    return { certificate, key };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CertificateError(`${certFile} and ${keyFile} are no usable certificate and key: ${why}`, { cause });
  }
}

/** The folders rather than the files: a mounted Secret is renewed by a link beside them. */
function watchFolders({ certFile, keyFile }: CertificateFiles, changed: () => void, log: Logger): FSWatcher[] {
  return [...new Set([dirname(certFile), dirname(keyFile)])].flatMap((folder) => {
    try {
      const watcher = watch(folder, { persistent: false }, changed);
      watcher.on("error", (error) => log.warn({ error, folder }, "folder no longer watched"));
      return [watcher];
    } catch (error) {
      log.warn({ error, folder }, "folder not watched");
      return [];
    }
  });
}
