/** The server of a project that `galley mcp` speaks to: one that runs already, or one of its own. */
import { sign } from "../admin/session/signed.ts";
import { loadSecrets } from "../engine/access/secrets.ts";
import type { Settings } from "../engine/config/settings.ts";
import { childEnvironment } from "../lib/child-environment.ts";
import { findErrorCode } from "../lib/error-code.ts";
import { dataFolder } from "../server/project/project-source.ts";
import { UsageError } from "./command.ts";
import { OWN_COMMAND } from "./own-command.ts";

/** Of a token, which is made for each message: any program may listen at the port. */
const TOKEN_MS = 60_000;
const START_MS = 60_000;
const POLL_MS = 100;
const PING = { jsonrpc: "2.0", id: 0, method: "ping" };
const TYPES = "application/json, text/event-stream";

export interface AgentServer {
  /** Sends a message, with the headers of the protocol. */
  readonly send: (
    message: unknown,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) => Promise<Response>;
  /** Ends the server if it is this process's own. */
  readonly stop: () => Promise<void>;
}

const createSend =
  (port: number, secret: string): AgentServer["send"] =>
  (message, headers = {}, signal) => {
    const authorization = `Bearer ${sign(secret, "agent", TOKEN_MS, Date.now())}`;
    return fetch(`http://localhost:${port}/admin/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: TYPES, authorization, ...headers },
      body: JSON.stringify(message),
      ...(signal ? { signal } : {}),
    });
  };

/** Whether a server of the project answers; another one does not accept its tokens. */
async function probe(send: AgentServer["send"]): Promise<"own" | "other" | "none"> {
  try {
    return (await send(PING)).ok ? "own" : "other";
  } catch {
    // nothing listens
    return "none";
  }
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "localhost", fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port!;
}

async function startServer(
  root: string,
  port: number,
  secret: string,
  environment: Settings["environment"],
): Promise<AgentServer> {
  const send = createSend(port, secret);
  // a public host of the environment, as in containers, would have no admin page; the output would be messages of the protocol here
  const child = Bun.spawn([...OWN_COMMAND, "serve", root, "--port", String(port), "--host", "localhost", "--quiet"], {
    env: childEnvironment(environment),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  for (const end = Date.now() + START_MS; Date.now() < end; await Bun.sleep(POLL_MS)) {
    if (child.exitCode !== null) throw new UsageError("the project's server has stopped");
    const reply = await probe(send);
    if (reply === "own") return { send, stop };
    if (reply === "other") break;
  }
  await stop();
  throw new UsageError(
    "the project's server has no tools of development: they need the admin page, and not NODE_ENV=production",
  );
}

/** Whether nothing listens, so that a message has reached no server. */
const isRefused = (error: unknown): boolean => findErrorCode(error) === "ECONNREFUSED";

/** Joins the server at the port if it is the project's, and starts one otherwise: there, or at a free port. Rejects with a UsageError. */
async function connect(
  root: string,
  port: number,
  settings: Settings,
  environment: Settings["environment"],
): Promise<AgentServer> {
  const { admin: secret } = loadSecrets(dataFolder(root), settings.environment);
  const send = createSend(port, secret);
  const reply = await probe(send);
  if (reply === "own") return { send, stop: async () => {} };
  return startServer(root, reply === "none" ? port : freePort(), secret, environment);
}

/** A connection that is made again for the next message when the server has ended, such as one that a person has stopped. */
export async function agentServer(...args: Parameters<typeof connect>): Promise<AgentServer> {
  let current = connect(...args);
  await current;
  const send: AgentServer["send"] = async (...message) => {
    const used = current;
    try {
      return await (await used).send(...message);
    } catch (error) {
      if (!isRefused(error) && !(error instanceof UsageError)) throw error;
      // others may have connected meanwhile
      if (current === used) current = connect(...args);
      return (await current).send(...message);
    }
  };
  // one that could not be started again needs no stop
  return { send, stop: async () => (await current.catch(() => undefined))?.stop() };
}
