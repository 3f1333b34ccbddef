/** The two modules of undici that `undici-pool.ts` loads by their files, with the types of its index. */
declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool } from "undici";

  const pool: typeof Pool;
  export default pool;
}
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData<null>>;
}
