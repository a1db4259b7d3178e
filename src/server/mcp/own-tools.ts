/** Tools, prompts and resources that a project's own code has registered, in Strapi's form. */
import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { ZodObject } from "zod";
import { describeAdministrator } from "../../admin/administrator.ts";
import { logError } from "../../lib/printable.ts";
import type { ProjectCode } from "../../strapi/project-code.ts";
import type { Project } from "../project/project.ts";
import type { Additions } from "./endpoint.ts";
import { handlerContext, promptResult, readResult, resourceMetadata, toolResult } from "./own-results.ts";
import { inTime, type LazyTool, type McpTool } from "./tool.ts";

type Run = (...args: readonly unknown[]) => unknown;

/** As own code declares it; what is declared otherwise fails when it is called. */
interface Definition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly devModeOnly?: boolean;
  readonly uri?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly argsSchema?: ZodObject;
  readonly resolveInputSchema?: (context: object) => ZodObject;
  readonly resolveOutputSchema: (context: object) => ZodObject | undefined;
  readonly createHandler: (strapi: object, context?: object) => Run;
}

/** Admin tokens have all permissions. */
const ability = { can: () => true, cannot: () => false };

const list = (code: ProjectCode | undefined, kind: "tool" | "prompt" | "resource", isDeveloping: boolean) =>
  ((code?.mcp.list(kind) ?? []) as readonly unknown[] as readonly Definition[]).filter(
    ({ devModeOnly }) => devModeOnly !== true || isDeveloping,
  );

const KINDS = { tool: "Tool", prompt: "Prompt", resource: "Resource" } as const;

/** Runs the handler of own code. `failed` makes the result for an error, in Strapi's words. */
async function guarded(
  kind: keyof typeof KINDS,
  name: string,
  create: () => Run,
  failed: (message: string) => unknown,
  ...args: readonly unknown[]
): Promise<unknown> {
  let step = "failed to initialize";
  try {
    const handler = create();
    step = "execution failed";
    return await handler(...args);
  } catch (error) {
    logError(error);
    const message = error instanceof Error ? error.message : String(error);
    return failed(`${KINDS[kind]} "${name}" ${step}: ${message}`);
  }
}

const text = (value: string) => ({ type: "text" as const, text: value });

export function ownTools({ code, context }: Project, isDeveloping: boolean): LazyTool[] {
  if (!code) return [];
  const { strapi } = code.runtime;
  return list(code, "tool", isDeveloping).map((definition): LazyTool => {
    const { name, title = name, description = "" } = definition;
    // as in Strapi, the schemas are those of each request
    const create = (): McpTool => {
      const caller = { userAbility: ability, user: describeAdministrator(context) };
      const input = definition.resolveInputSchema?.(caller);
      const output = definition.resolveOutputSchema(caller);
      const failed = (message: string): CallToolResult => ({ content: [text(message)], isError: true });
      return {
        name,
        title,
        description,
        ...(input ? { input } : {}),
        ...(output ? { output } : {}),
        isRaw: true as const,
        run: async (args, extra) =>
          toolResult(
            await guarded("tool", name, () => definition.createHandler(strapi, caller), failed, {
              ...(input ? { args } : {}),
              extra: handlerContext(extra),
            }),
          ),
      };
    };
    return { name, create };
  });
}

/** Prompts and resources; undefined where there are none. */
export function ownAdditions({ code, settings }: Project, isDeveloping: boolean): Additions | undefined {
  const prompts = list(code, "prompt", isDeveloping);
  const resources = list(code, "resource", isDeveloping);
  if (!code || prompts.length + resources.length === 0) return undefined;
  const { strapi } = code.runtime;
  const { timeoutMs } = settings.server.mcp;
  const register = (server: McpServer): void => {
    for (const definition of prompts) {
      const { name, title, description, argsSchema } = definition;
      const failed = (message: string) => ({ messages: [{ role: "user", content: text(message) }] });
      const run = async (...args: readonly unknown[]) => {
        // without a schema there is only the context
        const shown = [...args.slice(0, -1), handlerContext(args.at(-1) as ServerContext)];
        const create = () => definition.createHandler(strapi);
        return inTime(name, timeoutMs, async () =>
          promptResult(await guarded("prompt", name, create, failed, ...shown)),
        );
      };
      const config = { title, description, ...(argsSchema ? { argsSchema } : {}) };
      server.registerPrompt(name, config as never, run as never);
    }
    for (const definition of resources) {
      const { name, uri = "", metadata = {} } = definition;
      const failed = (message: string) => ({ contents: [{ uri, text: message, mimeType: "text/plain" }] });
      server.registerResource(name, uri, resourceMetadata(metadata), (url, context) => {
        const create = () => definition.createHandler(strapi);
        return inTime(name, timeoutMs, async () =>
          readResult(await guarded("resource", name, create, failed, url, handlerContext(context))),
        );
      });
    }
  };
  return { hasPrompts: prompts.length > 0, hasResources: resources.length > 0, register };
}
