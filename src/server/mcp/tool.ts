/** A tool of the Model Context Protocol: its name, the schemas of its arguments and results, and what it does. */
import type { ServerContext, StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import type { ZodObject, z } from "zod";
import { applicationError } from "../../lib/errors.ts";
import { once } from "../../lib/once.ts";
import { withTimeout } from "../../lib/with-timeout.ts";

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Absent: the tool has no arguments. */
  readonly input?: ZodObject;
  /** Absent: results of any shape. */
  readonly output?: ZodObject;
  /** Arguments are those of `input`. The message of an ApiError that it throws is sent to the client. */
  readonly run: (args: Readonly<Record<string, unknown>>, request: ServerContext) => unknown;
  /** Whether `run` returns the result of the protocol instead of its structured content, and errors are the SDK's: so do tools of own code. */
  readonly isRaw?: true;
}

interface TypedTool<Input extends ZodObject> extends Omit<McpTool, "input" | "run"> {
  readonly input: Input;
  readonly run: (args: z.infer<Input>) => unknown;
}

/** A tool whose arguments have the type of its schema. */
export const typedTool = <Input extends ZodObject>(tool: TypedTool<Input>): McpTool => tool as unknown as McpTool;

/**
 * The result of `work`; it goes on after `timeoutMs`, when this rejects with an ApplicationError, so that no client waits for own code that
 * never ends.
 */
export const inTime = <T>(name: string, timeoutMs: number, work: () => T | Promise<T>): Promise<T> =>
  withTimeout(Promise.try(work) as Promise<T>, timeoutMs, () => {
    throw applicationError(`${name} takes longer than ${timeoutMs} ms`);
  });

/** A tool whose schemas are built when it is first listed or called. */
export interface LazyTool {
  readonly name: string;
  readonly create: () => McpTool;
}

export const lazyTool = (name: string, make: () => McpTool): LazyTool => ({ name, create: once(make) });

type Convert = StandardSchemaWithJSON["~standard"]["jsonSchema"]["input"];

function cached(convert: Convert): Convert {
  let json: ReturnType<Convert> | undefined;
  return (options) => {
    json ??= convert(options);
    return json;
  };
}

const converted = new WeakMap<ZodObject, StandardSchemaWithJSON>();

/** A schema that is converted to JSON once, which takes milliseconds. The SDK converts it with each registration, and with each list. */
export function preparedSchema(schema: ZodObject): StandardSchemaWithJSON {
  const found = converted.get(schema);
  if (found) return found;
  const standard = schema["~standard"] as StandardSchemaWithJSON["~standard"];
  const { input, output } = standard.jsonSchema;
  const prepared = { "~standard": { ...standard, jsonSchema: { input: cached(input), output: cached(output) } } };
  converted.set(schema, prepared);
  return prepared;
}
