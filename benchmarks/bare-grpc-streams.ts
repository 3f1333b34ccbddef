/**
 * The yardstick of the shared SDK server: grpc-js with one method that streams an answer of bytes and stays open, and one that takes a
 * stream of messages and then answers. One port for all; nothing else.
 */
import {
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  Server,
  ServerCredentials,
} from "@grpc/grpc-js";
import { answerMeasurements } from "./measured-process.ts";

const bytes = (value: Buffer): Buffer => value;
const ANSWER = Buffer.alloc(400, 1);
const NOTHING = Buffer.alloc(0);

const watch: handleServerStreamingCall<Buffer, Buffer> = (call) => void call.write(ANSWER);
const health: handleClientStreamingCall<Buffer, Buffer> = (call, done) => {
  call.on("data", () => {}).once("end", () => done(null, NOTHING));
};

const method = (name: string, streams: { readonly requestStream: boolean; readonly responseStream: boolean }) => ({
  path: `/agones.dev.sdk.SDK/${name}`,
  ...streams,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
});

const server = new Server();
server.addService(
  {
    WatchGameServer: method("WatchGameServer", { requestStream: false, responseStream: true }),
    Health: method("Health", { requestStream: true, responseStream: false }),
  },
  { WatchGameServer: watch, Health: health },
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  answerMeasurements(async ({ serve }) => serve.map(() => port));
});
