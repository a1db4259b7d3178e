/** Subscribes the lifecycle hooks in files of apis and plugins. */
import { isRecord } from "../../lib/is-record.ts";
import type { LoadedCode } from "../loader/load.ts";
import type { PluginModule } from "../loader/plugin.ts";
import type { Lifecycles } from "./lifecycles.ts";

export function subscribeModels(
  lifecycles: Lifecycles,
  code: LoadedCode,
  modules: ReadonlyMap<string, PluginModule>,
): void {
  const add = (uid: string, hooks: unknown): void => {
    if (isRecord(hooks)) lifecycles.subscribe({ ...hooks, models: [uid] });
  };
  for (const [api, owner] of code.apis) {
    for (const [type, hooks] of owner.lifecycles) add(`api::${api}.${type}`, hooks);
  }
  for (const [plugin, { contentTypes }] of modules) {
    for (const [type, entry] of Object.entries(contentTypes)) {
      if (isRecord(entry)) add(`plugin::${plugin}.${type}`, entry.lifecycles);
    }
  }
}
