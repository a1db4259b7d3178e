/** `galley mcp`: the Model Context Protocol over standard input and output, for editors that start a process. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { loadSettings } from "../../engine/config/settings.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { AgentServer } from "../agent-server.ts";
import type { Command, CommandCall } from "../command.ts";
import { projectFolder } from "../project-folder.ts";
import { choosePort } from "../serve/options.ts";

const FAILED = -32603;
const CANCELLED = "notifications/cancelled";

/** The messages of a response: of a stream, or an error. */
async function readMessages(response: Response): Promise<JSONRPCMessage[]> {
  const text = await response.text();
  if (text === "") return [];
  if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
    return [JSON.parse(text) as JSONRPCMessage];
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as JSONRPCMessage);
}

const isMessage = (value: unknown): boolean => isRecord(value) && value.jsonrpc === "2.0";

/** Sends messages of the client to the server, and its answers back. */
async function relay(server: AgentServer): Promise<void> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const transport = new StdioServerTransport();
  const pending = new Set<Promise<void>>();
  const cancelling = new Map<unknown, AbortController>();
  let headers: Record<string, string> = {};
  let isClosed = false;
  const forward = async (message: JSONRPCMessage): Promise<void> => {
    const id = "id" in message ? message.id : undefined;
    // the server has no sessions: it learns of a cancellation from the end of the request
    if ("method" in message && message.method === CANCELLED) cancelling.get(message.params?.requestId)?.abort();
    const cancelled = new AbortController();
    if (id !== undefined) cancelling.set(id, cancelled);
    try {
      const answers = await readMessages(await server.send(message, headers, cancelled.signal));
      for (const answer of answers) {
        const protocolVersion = "result" in answer ? answer.result.protocolVersion : undefined;
        if (typeof protocolVersion === "string") headers = { "mcp-protocol-version": protocolVersion };
        if (isMessage(answer))
          await transport.send("id" in answer && answer.id === null ? ({ ...answer, id } as JSONRPCMessage) : answer);
        else throw new Error("The server refused the message");
      }
    } catch (error) {
      // the editor has gone, or waits no longer
      if (id === undefined || isClosed || cancelled.signal.aborted) return;
      await transport.send({
        jsonrpc: "2.0",
        id,
        error: { code: FAILED, message: (error as Error).message },
      });
    } finally {
      cancelling.delete(id);
    }
  };
  const closed = Promise.withResolvers<void>();
  transport.onmessage = (message) => {
    const work = forward(message).finally(() => pending.delete(work));
    pending.add(work);
  };
  transport.onclose = () => {
    isClosed = true;
    closed.resolve();
  };
  process.stdin.on("end", () => closed.resolve());
  await transport.start();
  await closed.promise;
  await Promise.all(pending);
}

async function runMcp(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  const settings = loadSettings(root, call.environment);
  const { agentServer } = await import("../agent-server.ts");
  const server = await agentServer(root, choosePort(call, settings), settings, call.environment);
  try {
    await relay(server);
    return 0;
  } finally {
    await server.stop();
  }
}

export const mcp: Command = {
  name: "mcp",
  summary: "Serve tools to an editor's agent over standard input and output",
  usage: "[project]",
  options: {
    port: {
      type: "string",
      short: "p",
      value: "number",
      summary: "Port of the project's server, which is joined or started (PORT; default 1337)",
    },
  },
  run: runMcp,
};
