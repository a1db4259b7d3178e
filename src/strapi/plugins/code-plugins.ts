/** The server parts of the project's plugins and of installed ones, with their configuration. */

import { createEnv, type Environment } from "../../engine/config/env.ts";
import { errorMessage } from "../../lib/errors.ts";
import { isRecord, merge, toRecord } from "../../lib/is-record.ts";
import { emptyPlugin, type PluginModule } from "../loader/plugin.ts";
import type { CodeConfig } from "../members/config.ts";

export interface PluginParts {
  readonly strapi: object;
  readonly config: CodeConfig;
  readonly environment: Environment;
}

/** The plugin's defaults, changed by `config/plugins`. Rejects if the plugin's validator refuses them, be it asynchronous or not. */
async function createConfig(name: string, declared: unknown, { config, environment }: PluginParts): Promise<unknown> {
  if (!isRecord(declared)) return declared;
  const { default: defaults, validator } = declared;
  const made: unknown = typeof defaults === "function" ? defaults({ env: createEnv(environment) }) : defaults;
  const own = config.get(`plugin::${name}`);
  const merged = merge(toRecord(made), isRecord(own) ? own : {});
  try {
    if (typeof validator === "function") await validator(merged);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`Error regarding ${name} config: ${reason}`, { cause: error });
  }
  config.set(`plugin::${name}`, merged);
  return merged;
}

/** `exported`: the exports of the plugin's server file, or a function that creates them. */
export async function codePlugin(name: string, exported: unknown, parts: PluginParts): Promise<PluginModule> {
  const created: unknown = typeof exported === "function" ? await exported({ strapi: parts.strapi }) : exported;
  const module: PluginModule = { ...emptyPlugin(), ...toRecord(created) };
  return { ...module, config: await createConfig(name, module.config, parts) };
}
