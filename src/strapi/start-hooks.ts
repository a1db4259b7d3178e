/** Runs the hooks of apis, plugins and `src/index` at the start. */
import { withTimeout } from "../lib/with-timeout.ts";
import type { CodeBundle, LoadedCode } from "./loader/load.ts";
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

/** Rejects with the error of a hook, unless it is reported in `problems`. */
export async function runStartHooks(
  hook: "register" | "bootstrap",
  code: LoadedCode,
  modules: ReadonlyMap<string, PluginModule>,
  { strapi, log, handles }: Pick<Runtime, "strapi" | "log"> & Pick<CodeBundle, "handles">,
  problems: StartProblems,
  { limitMs, unfollowed }: StartOptions,
): Promise<void> {
  const starting: readonly (readonly [name: string, module: unknown])[] = [
    ...[...code.apiIndexes].map(([name, module]) => [`src/api/${name}/index`, module] as const),
    ...[...modules].map(([name, module]) => [`plugin ${name}`, module] as const),
    [code.files.find(({ kind }) => kind === "index")?.file ?? "src/index", code.index],
  ];
  const waitMs = Math.min(limitMs, MAX_WAIT_MS);
  for (const [file, module] of starting) {
    const run = findHook(module, hook);
    if (!run) continue;
    const report = (message: string): void => void problems.list.push({ file, message });
    const work = async (): Promise<void> => {
      const running = handles.run(() => Promise.try(run, { strapi }));
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
