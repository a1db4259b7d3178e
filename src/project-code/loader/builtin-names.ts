/**
 * Names that code imports of the runtime's modules. The reference compiles code to CommonJS, where a name that is not
 * exported is undefined, and some are found without being listed (`Z_SYNC_FLUSH` of zlib); in an ES module each is an error.
 */
import { isBuiltin } from "../../config/packages.ts";

const NAMED_IMPORT = /^import (?:([\w$]+), )?\{([^{}]*)\} from "([\w:/]+)";$/gm;

/** Takes the names from the module's default export, in the same lines of the bundle. */
export function withBuiltinNames(bundle: string): string {
  let count = 0;
  return bundle.replace(NAMED_IMPORT, (line, whole: string | undefined, names: string, module: string) => {
    if (!isBuiltin(module) || module.startsWith("bun")) return line;
    const exports = whole ?? `__builtin_${count++}`;
    return `import ${exports} from "${module}"; var {${names.replace(/ as /g, ": ")}} = ${exports};`;
  });
}
