/** The SDK server as a program of its own, and the published client against it. */
import { join } from "node:path";
import AgonesSDKModule from "@google-cloud/agones-sdk";
import { vi } from "vitest";
import { eventually, type Patience } from "./eventually.ts";
import { MEMORY_ENVIRONMENT, MEMORY_FLAGS } from "./memory-flags.ts";
import { Program } from "./program.ts";

// The types that the package publishes do not fit what it exports.
const AgonesSDK = AgonesSDKModule as unknown as typeof AgonesSDKModule.default;
export type Sdk = InstanceType<typeof AgonesSDK>;

const ROOT = join(import.meta.dirname, "..", "..");

export interface Ports {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly healthPort?: number;
}

export class SdkServerProgram extends Program {
  readonly #clients: Sdk[] = [];

  constructor(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
    // A test runner sets TEST for itself.
    const given = { TEST: "", ...MEMORY_ENVIRONMENT, ...env };
    super(process.execPath, [...MEMORY_FLAGS, join(ROOT, "dist", "sdk-server.mjs"), ...flags], { env: given });
  }

  /** Where it serves, once it says so. */
  async ports(patience?: Patience): Promise<Ports> {
    return eventually(
      () => {
        const line = this.out.split("\n").find((each) => each.includes("SDK server serves"));
        if (line)
          return Object.fromEntries(
            [...line.matchAll(/(\w+Port)"?[:=](\d+)/g)].map((each) => [each[1], Number(each[2])]),
          );
        throw new Error(`the SDK server does not serve: ${this.out}${this.err}`);
      },
      { every: 20, ...patience },
    );
  }

  /** A connected client. */
  async client(): Promise<Sdk> {
    vi.stubEnv("AGONES_SDK_GRPC_PORT", String((await this.ports()).grpcPort));
    const sdk = new AgonesSDK();
    vi.unstubAllEnvs();
    this.#clients.push(sdk);
    await sdk.connect();
    return sdk;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    for (const sdk of this.#clients) sdk.close();
    await super[Symbol.asyncDispose]();
  }
}
