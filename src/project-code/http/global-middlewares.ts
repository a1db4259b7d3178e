/** The middlewares of `config/middlewares`: the server's own, and those of the project. */
import { isRecord } from "../../query/key-check.ts";
import type { Runtime } from "../runtime.ts";
import type { Registries } from "../strapi/registry.ts";
import type { Middleware } from "./compose.ts";
import type { GlobalMiddleware } from "./front.ts";

function load(file: string, root: string): unknown {
  const exported: unknown = require(Bun.resolveSync(file, root));
  return isRecord(exported) && "default" in exported ? exported.default : exported;
}

/** In their order. Throws for one that is not there. */
export function* globalMiddlewares(
  list: unknown,
  runtime: Runtime,
  registries: Registries,
  root: string,
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
    if (typeof factory !== "function")
      throw new Error(`config/middlewares: Middleware ${String(name ?? resolve)} not found.`);
    const run: unknown = factory(config, { strapi: runtime.strapi });
    if (typeof run === "function") yield { name: String(name ?? resolve), run: run as Middleware };
  }
}
