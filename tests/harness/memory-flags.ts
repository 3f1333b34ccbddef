/** As docs/reference/sdk-server.md says that the SDK server is started in a Pod: the heap of a small server, and no thread beside it. */
export const MEMORY_FLAGS: readonly string[] = [
  "--max-semi-space-size=1",
  "--max-old-space-size=48",
  "--single-threaded",
];
export const MEMORY_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "1" };
