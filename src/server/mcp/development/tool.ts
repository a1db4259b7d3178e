/** A row of a table of tools: what it takes, whether it changes something, and what it does. */
import type { ZodObject, z } from "zod";
import type { Workspace } from "./workspace.ts";

type Arguments = Readonly<Record<string, unknown>>;

export interface DevelopmentTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ZodObject;
  /** Whether a call changes the project, so that it belongs to a session that can be undone. */
  readonly changes?: (args: Arguments) => boolean;
  /** Whether there are other tools after a call: clients are notified. */
  readonly changesTools?: true;
  /** Whether a call waits for earlier changes, for as long as they take. */
  readonly waits?: true;
  readonly run: (workspace: Workspace, args: Arguments) => unknown;
}

interface TypedTool<Input extends ZodObject> extends Omit<DevelopmentTool, "input" | "run" | "changes"> {
  readonly input: Input;
  readonly changes?: (args: z.infer<Input>) => boolean;
  readonly run: (workspace: Workspace, args: z.infer<Input>) => unknown;
}

/** A tool whose arguments have the type of its schema. */
export const tool = <Input extends ZodObject>(row: TypedTool<Input>): DevelopmentTool =>
  row as unknown as DevelopmentTool;

export const always = (): boolean => true;
