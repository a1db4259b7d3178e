/**
 * Gives files other modules than those that they name. The runtime knows a module by one name for all files, and packages, and Galley
 * itself, may need another by the same name; so a file gets a name of its own for it.
 */
import { hookRequire, type RequireHook } from "../../lib/require-hook.ts";

/** By file: the own name of each specifier. */
const replacements = new Map<string, Map<string, string>>();

/** For CommonJS. */
const replaceRequired: RequireHook = (request, importer, next) => replacements.get(importer)?.get(request) ?? next();

const IMPORTED = /(?<=\b(?:from|import|require)\s*\(?\s*)(?:"([^"\\\n]+)"|'([^'\\\n]+)')/g;

/** Lets a file get a module when it imports `specifier`, from its next load on. `load` is called with the first import. */
export function replaceImport(file: string, specifier: string, load: () => Readonly<Record<string, unknown>>): void {
  const name = `galley:${specifier} for ${file}`;
  replacements.getOrInsertComputed(file, () => new Map()).set(specifier, name);
  hookRequire(replaceRequired);
  Bun.plugin({
    name,
    setup: (build) => {
      build.module(name, () => ({ exports: load(), loader: "object" }));
    },
  });
}

/** Whether a file has such imports. */
export const hasReplacedImports = (file: string): boolean => replacements.has(file);

/** The text of an ES module, whose imports cannot be resolved in another way. */
export const withReplacedImports = (file: string, text: string): string =>
  text.replace(IMPORTED, (all, double: string | undefined, single: string) => {
    const name = replacements.get(file)?.get(double ?? single);
    return name === undefined ? all : JSON.stringify(name);
  });
