/** What handlers of own code are called with, and what of their results is sent: as in Strapi, only what it knows. */
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
  ResourceMetadata,
  ServerContext,
} from "@modelcontextprotocol/server";
import { pick } from "../../lib/records.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The second argument of handlers. */
export function handlerContext({ mcpReq, http, sessionId }: ServerContext): object {
  const { signal, id, _meta, envelope } = mcpReq;
  const request = http?.req;
  return {
    signal,
    requestId: id,
    sessionId,
    authInfo: http?.authInfo,
    _meta: _meta === undefined && envelope === undefined ? undefined : { ..._meta, ...envelope },
    requestInfo: request && { headers: Object.fromEntries(request.headers), url: new URL(request.url) },
  };
}

/** The fields of each type of content, beside those of all. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["name", "uri", "title", "description", "mimeType", "size", "icons"],
  resource: ["resource"],
};
const METADATA = ["title", "description", "mimeType", "size", "icons", "annotations", "_meta"];

/** Throws an Error for a type that the protocol does not have. */
function contentBlock(content: Fields): Fields {
  const type = String(content.type);
  if (!Object.hasOwn(BLOCKS, type)) throw new Error(`[MCP] Unsupported content block: ${JSON.stringify(content)}`);
  const block = pick(content, ["type", ...BLOCKS[type]!, "annotations", "_meta"]);
  return type === "resource" ? { ...block, resource: resourceContents(block.resource as Fields) } : block;
}

const resourceContents = (contents: Fields): Fields =>
  pick(contents, ["uri", "mimeType", "text" in contents ? "text" : "blob", "_meta"]);

/** Throws for what is not a result; the SDK answers with the message. */
export function toolResult(result: unknown): CallToolResult {
  const { content, ...rest } = result as { readonly content: readonly Fields[] };
  return { content: content.map(contentBlock), ...pick(rest, ["structuredContent", "isError"]) } as CallToolResult;
}

export function promptResult(result: unknown): GetPromptResult {
  const { messages, ...rest } = result as { readonly messages: readonly { role: string; content: Fields }[] };
  const shown = messages.map(({ role, content }) => ({ role, content: contentBlock(content) }));
  return { ...rest, messages: shown } as GetPromptResult;
}

export function readResult(result: unknown): ReadResourceResult {
  const { contents, ...rest } = result as { readonly contents: readonly Fields[] };
  return { ...rest, contents: contents.map(resourceContents) } as ReadResourceResult;
}

export const resourceMetadata = (metadata: Fields): ResourceMetadata => pick(metadata, METADATA);
