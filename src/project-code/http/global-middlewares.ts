/** The middlewares of `config/middlewares`: the server's own, and those of the project. */
import { isRecord } from "../../query/key-check.ts";
import { AbsentError } from "../loader/absent-module.ts";
import type { CodeProblem } from "../loader/load.ts";
import type { Runtime } from "../runtime.ts";
import type { Registries } from "../strapi/registry.ts";
import type { Middleware } from "./compose.ts";
import type { GlobalMiddleware } from "./front.ts";

function load(file: string, root: string): unknown {
  const exported: unknown = require(Bun.resolveSync(file, root));
  return isRecord(exported) && "default" in exported ? exported.default : exported;
}

/** In their order. Throws for one that is not there, unless it was left out at the start, which has been reported. */
export function* globalMiddlewares(
  list: unknown,
  runtime: Runtime,
  registries: Registries,
  root: string,
  problems: CodeProblem[],
): Generator<GlobalMiddleware> {
  const entries: readonly unknown[] = Array.isArray(list) && list.length > 0 ? list : ["strapi::cors", "strapi::body"];
  for (const entry of entries) {
    if (typeof entry === "function") {
      yield { name: "function", run: entry as Middleware };
      continue;
    }
    const { name, resolve, config = {} } = isRecord(entry) ? entry : { name: entry };
    if (typeof name === "string" && name.startsWith("strapi::")) {
      yield { builtin: name.slice("strapi::".length) };
      continue;
    }
    const factory = typeof name === "string" ? registries.middlewares.get(name) : load(String(resolve), root);
    const middleware = String(name ?? resolve);
    if (typeof factory !== "function") {
      if (isLeftOut(middleware, problems)) {
        problems.push({
          file: "config/middlewares",
          message: `answers without ${middleware}, which could not be loaded`,
        });
        continue;
      }
      throw new Error(`config/middlewares: Middleware ${middleware} not found.`);
    }
    const run = make(factory as Factory, config, runtime, (message) =>
      problems.push({ file: "config/middlewares", message: `answers without ${middleware}: ${message}` }),
    );
    if (typeof run === "function") yield { name: middleware, run: run as Middleware };
  }
}

type Factory = (config: unknown, options: { readonly strapi: object }) => unknown;

/** Undefined for a middleware that needs a package that is not installed. */
function make(factory: Factory, config: unknown, { strapi }: Runtime, report: (message: string) => void): unknown {
  try {
    return factory(config, { strapi });
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    report(error.message);
    return undefined;
  }
}

/** Whether the file of a middleware could not be loaded. */
function isLeftOut(uid: string, problems: readonly CodeProblem[]): boolean {
  const [, owner = "", name = ""] = /^(global|\w+::[^.]+)(?:::|\.)(.+)$/.exec(uid) ?? [];
  const folder = owner === "global" ? "src/middlewares" : `src/api/${owner.split("::")[1]}/middlewares`;
  return problems.some(({ file }) => file.replace(/\.\w+$/, "") === `${folder}/${name}`);
}
