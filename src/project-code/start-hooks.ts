/** `register`, `bootstrap` and `destroy` of plugins and of `src/index`. */
import { isRecord } from "../query/key-check.ts";
import { AbsentError } from "./loader/absent-module.ts";
import type { CodeProblem, LoadedCode } from "./loader/load.ts";
import type { PluginModule } from "./plugins/plugin.ts";
import type { Runtime } from "./runtime.ts";

type Hook = (options: { readonly strapi: object }) => unknown;
export const hookOf = (module: unknown, name: string): Hook | undefined => {
  const hook = isRecord(module) ? module[name] : undefined;
  return typeof hook === "function" ? (hook as Hook) : undefined;
};

/** Milliseconds for which a hook is awaited at most; it goes on after them. */
const MAX_WAIT_MS = 30_000;

export interface StartPolicy {
  /** Whether errors are reported, and the rest is served; without it, those about packages that are not installed are. */
  readonly leavesOut: boolean;
  /** Milliseconds that an answer may take; a hook is not awaited for longer. */
  readonly limitMs: number;
}

/** Whether it has ended in time. Throws its error; `fail` gets an error after that time. */
async function endsInTime(work: Promise<unknown>, limitMs: number, fail: (error: unknown) => void): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, limitMs, false);
  const isInTime = await Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
  if (!isInTime) work.catch(fail);
  return isInTime;
}

/** Throws what a hook throws, unless that is reported. */
export async function runStartHooks(
  code: LoadedCode,
  modules: ReadonlyMap<string, PluginModule>,
  { strapi, log }: Pick<Runtime, "strapi" | "log">,
  problems: CodeProblem[],
  { leavesOut, limitMs }: StartPolicy,
): Promise<void> {
  const starting: readonly (readonly [name: string, module: unknown])[] = [
    ...[...modules].map(([name, module]) => [`plugin ${name}`, module] as const),
    ...[...code.apiIndexes].map(([name, module]) => [`src/api/${name}/index`, module] as const),
    [code.files.find(({ kind }) => kind === "index")?.file ?? "src/index", code.index],
  ];
  const waitMs = Math.min(limitMs, MAX_WAIT_MS);
  for (const hook of ["register", "bootstrap"]) {
    for (const [file, module] of starting) {
      const run = hookOf(module, hook);
      if (!run) continue;
      try {
        const work = (async () => run({ strapi }))();
        if (await endsInTime(work, waitMs, (error) => log.error(`${file}: ${hook} failed`, error))) continue;
        problems.push({ file, message: `${hook} has not ended within ${waitMs / 1000} s; it goes on` });
      } catch (error) {
        if (!leavesOut && !(error instanceof AbsentError)) throw error;
        problems.push({
          file,
          message: `ended early in ${hook}: ${error instanceof Error ? error.message : String(error)}`,
        });
      }
    }
  }
}
