/** The yardstick of the SDK server's process: grpc-js with one method that answers bytes, and nothing else. The port is its argument. */
import { Server, ServerCredentials } from "@grpc/grpc-js";

const bytes = (value: Buffer): Buffer => value;
const ANSWER = Buffer.alloc(400, 1);

const server = new Server();
server.addService(
  {
    GetGameServer: {
      path: "/agones.dev.sdk.SDK/GetGameServer",
      requestStream: false,
      responseStream: false,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    },
  },
  { GetGameServer: (_call: unknown, done: (error: null, answer: Buffer) => void) => done(null, ANSWER) },
);
server.bindAsync(`127.0.0.1:${process.argv[2]}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
