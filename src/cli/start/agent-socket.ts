import { request } from "node:http";

/** What a running node agent says of itself. */
export interface AgentIdentity {
  readonly pid: number;
  readonly version: string;
}

/** Asks whoever listens on an agent's socket; undefined when nobody answers. */
export async function askAgent(socketPath: string): Promise<AgentIdentity | undefined> {
  const answer = await call(socketPath, "GET", "/healthz").catch(() => undefined);
  return answer === undefined ? undefined : (JSON.parse(answer) as AgentIdentity);
}

/** Tells the agent to stop; with `keep` the game servers go on. Resolves when it has answered. */
export async function stopAgent(socketPath: string, keep: boolean): Promise<void> {
  await call(socketPath, "POST", `/stop?keep=${keep ? "servers" : "none"}`);
}

export interface AgentContainer {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly pid?: number;
  readonly log: string;
}

/** The processes an agent runs. */
export async function listContainers(socketPath: string): Promise<readonly AgentContainer[]> {
  return JSON.parse(await call(socketPath, "GET", "/containers")) as readonly AgentContainer[];
}

function call(socketPath: string, method: "GET" | "POST", path: string): Promise<string> {
  return new Promise((done, fail) => {
    const sent = request({ socketPath, method, path, agent: false }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (text: string) => {
        body += text;
      });
      answer.on("end", () => {
        if (answer.statusCode === 200) done(body);
        else fail(new Error(`the node agent answered ${answer.statusCode}: ${body}`));
      });
      answer.on("error", fail);
    });
    sent.on("error", fail);
    sent.end();
  });
}
