import type { Dispatcher, Pool } from "undici";

export interface ConnectionPool {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData<null>>;
  /** Ends idle connections, and the others once their answers are complete. */
  close(): Promise<void>;
  /** Ends all connections at once; what is under way fails. */
  destroy(): Promise<void>;
}

export type OpenPool = (origin: string, options: Pool.Options) => ConnectionPool;

/**
 * Loads the connection pool of undici on first use, and of undici only that: its index also loads proxies, caches, cookies
 * and a WebSocket, 75 ms more at every start of every process.
 */
export async function loadPools(): Promise<OpenPool> {
  const [{ default: Pool }, { default: request }] = await Promise.all([
    import("undici/lib/dispatcher/pool.js"),
    import("undici/lib/api/api-request.js"),
  ]);
  return (origin, options) => {
    const pool = new Pool(origin, options);
    return {
      request: (requestOptions) => request.call(pool, requestOptions),
      close: () => pool.close(),
      destroy: () => pool.destroy(),
    };
  };
}
