/** Serves tools over Streamable HTTP. The SDK carries the protocol; each request has a server of its own, with the tools that it names. */
import {
  type CallToolResult,
  McpServer,
  type RegisteredTool,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/is-record.ts";
import { logError } from "../../lib/printable.ts";
import { refuse } from "./json-rpc.ts";
import { inTime, type LazyTool, type McpTool, preparedSchema } from "./tool.ts";

/** What a project's own code has registered. */
export interface Additions {
  readonly hasPrompts: boolean;
  readonly hasResources: boolean;
  readonly register: (server: McpServer) => void;
}

export interface ToolSet {
  readonly tools: readonly LazyTool[];
  /** Registered by the project's own code. */
  readonly additions?: Additions | undefined;
  /** What a client tells its model of the tools as a whole. */
  readonly instructions?: string;
  /** Milliseconds for a call. Absent: tools limit themselves, since calls may wait for earlier ones. */
  readonly timeoutMs?: number | undefined;
  /** Whether clients see the messages of defects, as in development. */
  readonly showsDefects: boolean;
}

/** Runs a tool. Errors are results, so that clients can correct the call. */
async function call(
  { showsDefects, timeoutMs }: ToolSet,
  tool: McpTool,
  args: Readonly<Record<string, unknown>>,
  request: ServerContext,
): Promise<CallToolResult> {
  const run = (): unknown => tool.run(args, request);
  const running = timeoutMs === undefined ? Promise.try(run) : inTime(tool.name, timeoutMs, run);
  if (tool.isRaw) return (await running) as CallToolResult;
  try {
    const structuredContent = (await running) as Record<string, unknown>;
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    const message = showsDefects && error instanceof Error ? error.message : describeFailure(error);
    return { content: [{ type: "text", text: `Tool "${tool.name}" execution failed: ${message}` }], isError: true };
  }
}

/** Other errors than those that clients see are logged, and sent without detail. */
function describeFailure(error: unknown): string {
  if (error instanceof Error && "kind" in error) return error.message;
  logError(error);
  return "Internal Server Error";
}

function registerTool(server: McpServer, set: ToolSet, tool: McpTool): RegisteredTool {
  const { name, title, description, input, output } = tool;
  const config = { title, description, ...(output ? { outputSchema: preparedSchema(output) } : {}) };
  if (!input) return server.registerTool(name, config, (request) => call(set, tool, {}, request));
  return server.registerTool(name, { ...config, inputSchema: preparedSchema(input) }, (args, request) =>
    call(set, tool, args as Readonly<Record<string, unknown>>, request),
  );
}

/** The tools that messages name; all for a list. Their schemas are converted with each registration. */
function namedTools({ tools }: ToolSet, body: unknown): readonly LazyTool[] {
  const messages = [body].flat().filter(isRecord);
  if (messages.some(({ method }) => method === "tools/list")) return tools;
  const calls = messages.flatMap(({ method, params }) =>
    method === "tools/call" && isRecord(params) ? [params.name] : [],
  );
  return tools.filter(({ name }) => calls.includes(name));
}

/** Registered, so that the SDK refuses unknown names in its words; never enabled. */
const PLACEHOLDER = "log";

function createServer(set: ToolSet, body: unknown): McpServer {
  const { additions, instructions } = set;
  const capabilities = {
    logging: {},
    tools: {},
    ...(additions?.hasPrompts ? { prompts: {} } : {}),
    ...(additions?.hasResources ? { resources: {} } : {}),
  };
  const server = new McpServer(
    { name: "strapi-mcp-server", version: "1.0.0" },
    { capabilities, ...(instructions === undefined ? {} : { instructions }) },
  );
  const named = namedTools(set, body);
  for (const tool of named) {
    try {
      registerTool(server, set, tool.create());
    } catch (error) {
      // as in Strapi, own code that fails here is left out
      logError(error);
    }
  }
  if (!named.some(({ name }) => name === PLACEHOLDER))
    server.registerTool(PLACEHOLDER, {}, () => ({ content: [] })).disable();
  additions?.register(server);
  return server;
}

/** The status for messages that are not answered; as in Strapi, with a content type. */
const NO_CONTENT = 202;

/** A list of tools is a thousand times as long as the request for it. */
const MAX_MESSAGES = 100;

/** Answers a request whose body was parsed. `headers`: those of every response; changed. */
export async function answer(request: Request, parsedBody: unknown, set: ToolSet, headers: Headers): Promise<Response> {
  if (Array.isArray(parsedBody) && parsedBody.length > MAX_MESSAGES) return refuse("batch", headers);
  try {
    const server = createServer(set, parsedBody);
    const transport = new WebStandardStreamableHTTPServerTransport();
    await server.connect(transport);
    // aborts the signal of its calls
    request.signal.addEventListener("abort", () => void server.close(), { once: true });
    const response = await transport.handleRequest(request, { parsedBody: parsedBody ?? null });
    response.headers.forEach((value, name) => {
      headers.set(name, value);
    });
    if (response.status === NO_CONTENT) headers.set("Content-Type", "text/plain; charset=UTF-8");
    return new Response(response.body, { status: response.status, headers });
  } catch (error) {
    logError(error);
    return refuse("failure", headers);
  }
}
