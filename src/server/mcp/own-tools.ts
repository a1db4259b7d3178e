/** Tools, prompts and resources that a project's own code has registered, in Strapi's form. */
import type { McpServer } from "@modelcontextprotocol/server";
import type { ZodObject } from "zod";
import { describeAdministrator } from "../../admin/administrator.ts";
import { logError } from "../../lib/print-value.ts";
import type { ProjectCode } from "../../strapi/project-code.ts";
import type { Project } from "../project/project.ts";
import type { Additions } from "./endpoint.ts";
import type { LazyTool, McpTool } from "./tool.ts";

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
  readonly resolveOutputSchema?: (context: object) => ZodObject;
  readonly createHandler: (strapi: object, context?: object) => Run;
}

/** Admin tokens have all permissions. */
const ability = { can: () => true, cannot: () => false };

const list = (code: ProjectCode | undefined, kind: "tool" | "prompt" | "resource", isDeveloping: boolean) =>
  ((code?.mcp.list(kind) ?? []) as readonly unknown[] as readonly Definition[]).filter(
    ({ devModeOnly }) => devModeOnly !== true || isDeveloping,
  );

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function ownTools({ code, context }: Project, isDeveloping: boolean): LazyTool[] {
  if (!code) return [];
  const { strapi } = code.runtime;
  return list(code, "tool", isDeveloping).map((definition): LazyTool => {
    const { name, title = name, description = "" } = definition;
    // as in Strapi, the schemas are those of each request
    const create = (): McpTool => {
      const caller = { userAbility: ability, user: describeAdministrator(context) };
      const input = definition.resolveInputSchema?.(caller);
      return {
        name,
        title,
        description,
        ...(input ? { input } : {}),
        output: definition.resolveOutputSchema?.(caller) as ZodObject,
        isRaw: true as const,
        run: (args: unknown, extra: unknown) =>
          definition.createHandler(strapi, caller)({ ...(input ? { args } : {}), extra }),
      };
    };
    return { name, create };
  });
}

/** Prompts and resources; undefined where there are none. */
export function ownAdditions({ code }: Project, isDeveloping: boolean): Additions | undefined {
  const prompts = list(code, "prompt", isDeveloping);
  const resources = list(code, "resource", isDeveloping);
  if (!code || prompts.length + resources.length === 0) return undefined;
  const { strapi } = code.runtime;
  /** Runs code; `failed` makes the result for an error that it throws. */
  const guarded = (definition: Definition, failed: (message: string) => unknown): Run => {
    return async (...args) => {
      try {
        return await definition.createHandler(strapi)(...args);
      } catch (error) {
        logError(error);
        return failed(`"${definition.name}" execution failed: ${messageOf(error)}`);
      }
    };
  };
  const register = (server: McpServer): void => {
    for (const definition of prompts) {
      const { name, title, description, argsSchema } = definition;
      const failed = (text: string) => ({
        messages: [{ role: "user", content: { type: "text", text: `Prompt ${text}` } }],
      });
      const config = { title, description, ...(argsSchema ? { argsSchema } : {}) };
      server.registerPrompt(name, config as never, guarded(definition, failed) as never);
    }
    for (const definition of resources) {
      const { name, uri = "", metadata = {} } = definition;
      const failed = (text: string) => ({ contents: [{ uri, text: `Resource ${text}`, mimeType: "text/plain" }] });
      server.registerResource(name, uri, metadata, guarded(definition, failed) as never);
    }
  };
  return { hasPrompts: prompts.length > 0, hasResources: resources.length > 0, register };
}
