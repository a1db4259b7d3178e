/** Runs a script of a project, as its own code is run: with the packages that Galley provides, and those of `node_modules`. */
import { relative } from "node:path";
import { ProjectError } from "../../lib/errors.ts";
import { findCompanion, providedPackages, registerPackages } from "../packages/index.ts";
import { bundleCode } from "./bundle.ts";

const GLOBAL = "__galley_strapi_script__";

/** Scripts with `await` outside of functions cannot be bundled. */
const isTopLevelAwait = (error: unknown): boolean =>
  error instanceof ProjectError && /"await" can only be used inside/.test(error.message);

/** `strapi`: of the server that runs, if any. Resolves when the script is evaluated, which may continue afterwards. */
export async function runScript(root: string, file: string, strapi?: object): Promise<void> {
  registerPackages();
  const name = relative(root, file);
  Object.assign(globalThis, { [GLOBAL]: strapi });
  try {
    const bundle = await bundleCode({
      root,
      files: [name],
      provided: providedPackages,
      findCompanion,
      global: GLOBAL,
      skipsFailures: false,
      main: file,
      mayExit: true,
    });
    await bundle.load(name);
  } catch (error) {
    if (!isTopLevelAwait(error)) throw error;
    await import(file);
  }
}
