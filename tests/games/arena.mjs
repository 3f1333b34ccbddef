#!/usr/bin/env node
/** A game as a studio writes it, with the published SDK. It knows nothing of where it runs. */
import { createSocket } from "node:dgram";
import AgonesSDK from "@google-cloud/agones-sdk";

const sdk = new AgonesSDK();
const socket = createSocket("udp4");

const commands = {
  join: async (name) => {
    await sdk.beta.appendListValue("players", name);
    return `players: ${await sdk.beta.getListValues("players")}`;
  },
  start: async (map) => {
    await sdk.setLabel("map", map);
    await sdk.beta.incrementCounter("rooms", 1);
    await sdk.allocate();
    return `rooms: ${await sdk.beta.getCounterCount("rooms")}`;
  },
  full: () =>
    sdk.beta.incrementCounter("rooms", 100).then(
      () => "room for all",
      (error) => error.details,
    ),
  over: async () => {
    await sdk.shutdown();
    return "bye";
  },
};

socket.on("message", async (datagram, { address, port }) => {
  const [command, argument] = datagram.toString().split(" ");
  socket.send((await commands[command]?.(argument)) ?? "what?", port, address);
});
process.on("SIGTERM", () => process.exit());

await sdk.connect();
sdk.watchGameServer(
  ({ status }) => console.log(`seen ${status.state}`),
  (error) => console.error(error.message),
);
setInterval(() => sdk.health((error) => console.error(error.message)), 1_000);
socket.bind(Number(process.env.PORT ?? 7654), () => sdk.ready());
