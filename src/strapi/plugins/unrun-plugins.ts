/** Official plugins that are not run, with the services that code calls: they say what does not happen. */
import { ConfigFiles } from "../../engine/config/files.ts";
import { isPluginEnabled } from "../../engine/config/providers.ts";
import { ProjectReport } from "../../lib/errors.ts";
import { builtinPlugin, type Members, type PluginModule } from "../loader/plugin.ts";
import type { Runtime } from "../runtime.ts";

interface CodeStrapi {
  readonly config: { readonly get: (path: string) => unknown };
  readonly log: Pick<Console, "warn">;
}

function documentation(strapi: CodeStrapi): Members {
  const registeredOverrides: unknown[] = [];
  const excludedFromGeneration: unknown[] = [];
  const warnOnce = (() => {
    let isDone = false;
    return () => {
      if (!isDone) strapi.log.warn("overrides of the documentation plugin have no effect on /docs and /openapi.json");
      isDone = true;
    };
  })();
  const excludeFromGeneration = (api: unknown): void => {
    warnOnce();
    excludedFromGeneration.push(...[api].flat());
  };
  const override = {
    registeredOverrides,
    excludedFromGeneration,
    excludeFromGeneration,
    isEnabled: (name: string) => excludedFromGeneration.includes(name),
    registerOverride: (added: unknown, options: { readonly excludeFromGeneration?: unknown } | null = {}) => {
      warnOnce();
      if (options?.excludeFromGeneration !== undefined) excludeFromGeneration(options.excludeFromGeneration);
      registeredOverrides.push(added);
    },
  };
  return { override: () => override };
}

function sentry(strapi: CodeStrapi): Members {
  const service: Members = {
    init: () => service,
    getInstance: () => null,
    sendError: () => strapi.log.warn("Sentry wasn't properly initialized, cannot send event"),
  };
  return { sentry: () => service };
}

const services: Readonly<Record<string, (strapi: CodeStrapi) => Members>> = { documentation, sentry };

/** The plugins among the project's packages, unless `config/plugins` disables them. */
export function unrunPlugins({ root, settings, strapi }: Runtime): readonly (readonly [string, PluginModule])[] {
  const code = strapi as CodeStrapi;
  const packages = (code.config.get("info.dependencies") ?? {}) as object;
  const found = Object.keys(services).filter((name) => Object.hasOwn(packages, `@strapi/plugin-${name}`));
  if (found.length === 0) return [];
  const files = new ConfigFiles(root, settings.environment, new ProjectReport());
  const { section } = files.section("plugins");
  return found
    .filter((name) => isPluginEnabled(section, name))
    .map((name) => [name, { ...builtinPlugin(), services: services[name]!(code) }]);
}
