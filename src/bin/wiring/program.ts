/**
 * Runs a program to its end: exit code 0, or, after a failure, a last line on standard error and exit code 1. `failed` sees the
 * failure first and may set another `process.exitCode`.
 */
export function runProgram(main: () => Promise<void>, failed: (error: unknown) => void = () => {}): void {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      failed(error);
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      console.error(JSON.stringify({ severity: "fatal", message }));
      process.exitCode ??= 1;
      process.exit();
    },
  );
}
