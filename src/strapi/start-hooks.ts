/** Runs the hooks of plugins, apis and `src/index` at the start. */
import { withTimeout } from "../lib/with-timeout.ts";
import { AbsentError } from "./loader/absent-module.ts";
import type { CodeProblem, LoadedCode } from "./loader/load.ts";
import { findHook, type PluginModule } from "./loader/plugin.ts";
import { startingCode } from "./loader/started-code.ts";
import type { Runtime } from "./runtime.ts";

/** A hook that takes longer continues in the background. */
const MAX_WAIT_MS = 30_000;

export interface StartPolicy {
  /** Report all errors; otherwise only those about missing packages are reported, and others are thrown. */
  readonly skipsFailures: boolean;
  /** What the code that has just run `register` has changed, and the server does not follow. */
  readonly unfollowed?: () => readonly string[];
  /** Time limit for a response, in milliseconds. Also limits the wait for a hook. */
  readonly limitMs: number;
}

/** Whether `work` ends in time. Rejects with its error; `fail` is called with errors after the limit. */
function endsInTime(work: Promise<unknown>, limitMs: number, fail: (error: unknown) => void): Promise<boolean> {
  const ended = work.then(() => true);
  return withTimeout(ended, limitMs, () => {
    ended.catch(fail);
    return false;
  });
}

/** With the message of its cause, if that says more. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

/** Rejects with the error of a hook, unless it is reported in `problems`. */
export async function runStartHooks(
  hook: "register" | "bootstrap",
  code: LoadedCode,
  modules: ReadonlyMap<string, PluginModule>,
  { strapi, log }: Pick<Runtime, "strapi" | "log">,
  problems: CodeProblem[],
  { skipsFailures, limitMs, unfollowed = () => [] }: StartPolicy,
): Promise<void> {
  const starting: readonly (readonly [name: string, module: unknown])[] = [
    ...[...modules].map(([name, module]) => [`plugin ${name}`, module] as const),
    ...[...code.apiIndexes].map(([name, module]) => [`src/api/${name}/index`, module] as const),
    [code.files.find(({ kind }) => kind === "index")?.file ?? "src/index", code.index],
  ];
  const waitMs = Math.min(limitMs, MAX_WAIT_MS);
  for (const [file, module] of starting) {
    const run = findHook(module, hook);
    if (!run) continue;
    try {
      const work = startingCode(`${hook} of ${file}`, () => run({ strapi }));
      if (await endsInTime(work, waitMs, (error) => log.error(`${file}: ${hook} failed`, error))) continue;
      problems.push({
        file,
        message: `${hook} has not ended within ${waitMs / 1000} s; it continues in the background`,
      });
    } catch (error) {
      if (!skipsFailures && !(error instanceof AbsentError)) throw error;
      problems.push({
        file,
        message: `ended early in ${hook}: ${describe(error)}`,
      });
    } finally {
      for (const change of unfollowed()) problems.push({ file, message: `${change} in ${hook}, which has no effect` });
    }
  }
}
