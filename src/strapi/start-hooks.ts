/** Runs the hooks of apis, plugins and `src/index` at the start, and at the end. */
import { withTimeout } from "../lib/with-timeout.ts";
import type { LoadedCode } from "./loader/load.ts";
import { findHook, type PluginModule } from "./loader/plugin.ts";
import type { StartProblems } from "./loader/start-problems.ts";
import type { Runtime } from "./runtime.ts";

/** A hook that takes longer continues in the background. */
const MAX_WAIT_MS = 30_000;

interface StartOptions {
  /** What the code that has just run `register` has changed, and the server does not follow. */
  readonly unfollowed: () => readonly string[];
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

type PluginModules = ReadonlyMap<string, PluginModule>;

/** What may have hooks, with its name. */
const listModules = (code: LoadedCode, plugins: PluginModules): (readonly [name: string, module: unknown])[] => [
  ...[...code.apiIndexes].map(([name, module]) => [`src/api/${name}/index`, module] as const),
  ...[...plugins].map(([name, module]) => [`plugin ${name}`, module] as const),
  [code.files.find(({ kind }) => kind === "index")?.file ?? "src/index", code.index],
];

/** Calls `destroy`. Errors are logged: what has ended must not keep its successor from being served. */
export async function runDestroyHooks(
  code: LoadedCode,
  modules: PluginModules,
  { strapi, log }: Pick<Runtime, "strapi" | "log">,
  limitMs: number,
): Promise<void> {
  const waitMs = Math.min(limitMs, MAX_WAIT_MS);
  for (const [file, module] of listModules(code, modules)) {
    const run = findHook(module, "destroy");
    if (!run) continue;
    const fail = (error: unknown): void => void log.error(`${file}: destroy failed`, error);
    const ended = await endsInTime(Promise.try(run, { strapi }), waitMs, fail).catch(fail);
    if (ended === false) log.error(`${file}: destroy has not ended within ${waitMs / 1000} s`);
  }
}

/** Rejects with the error of a hook, unless it is reported in `problems`. */
export async function runStartHooks(
  hook: "register" | "bootstrap",
  code: LoadedCode,
  modules: PluginModules,
  { strapi, log }: Pick<Runtime, "strapi" | "log">,
  problems: StartProblems,
  { limitMs, unfollowed }: StartOptions,
): Promise<void> {
  const waitMs = Math.min(limitMs, MAX_WAIT_MS);
  for (const [file, module] of listModules(code, modules)) {
    const run = findHook(module, hook);
    if (!run) continue;
    const report = (message: string): void => void problems.list.push({ file, message });
    const work = async (): Promise<void> => {
      const running = Promise.try(run, { strapi });
      if (await endsInTime(running, waitMs, (error) => log.error(`${file}: ${hook} failed`, error))) return;
      report(`${hook} has not ended within ${waitMs / 1000} s; it continues in the background`);
    };
    try {
      await problems.attempt(file, work, `ended early in ${hook}`, `${hook} of ${file}`);
    } finally {
      for (const change of unfollowed()) report(`${change} in ${hook}, which has no effect`);
    }
  }
}
