/** `register`, `bootstrap` and `destroy` of plugins and of `src/index`. */
import { isRecord } from "../query/key-check.ts";
import { AbsentError } from "./loader/absent-module.ts";
import type { CodeProblem, LoadedCode } from "./loader/load.ts";
import type { PluginModule } from "./plugins/plugin.ts";

type Hook = (options: { readonly strapi: object }) => unknown;
export const hookOf = (module: unknown, name: string): Hook | undefined => {
  const hook = isRecord(module) ? module[name] : undefined;
  return typeof hook === "function" ? (hook as Hook) : undefined;
};

/** Throws what `register` and `bootstrap` throw, but for what is not there: the rest is served without that hook. */
export async function runStartHooks(
  code: LoadedCode,
  modules: ReadonlyMap<string, PluginModule>,
  strapi: object,
  problems: CodeProblem[],
): Promise<void> {
  const starting: readonly (readonly [name: string, module: unknown])[] = [
    ...[...modules].map(([name, module]) => [`plugin ${name}`, module] as const),
    ...[...code.apiIndexes].map(([name, module]) => [`src/api/${name}/index`, module] as const),
    [code.files.find(({ kind }) => kind === "index")?.file ?? "src/index", code.index],
  ];
  for (const hook of ["register", "bootstrap"]) {
    for (const [file, module] of starting) {
      try {
        await hookOf(module, hook)?.({ strapi });
      } catch (error) {
        if (!(error instanceof AbsentError)) throw error;
        problems.push({ file, message: `ended early in ${hook}: ${error.message}` });
      }
    }
  }
}
