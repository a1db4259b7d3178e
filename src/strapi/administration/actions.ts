/** The permissions of administrators: those that code registers with `strapi.service("admin::permission").actionProvider`, and Strapi's own. */
import { staticActions, typeActions } from "../../engine/access/administrator-actions.ts";
import { isRecord } from "../../lib/is-record.ts";

type Action = Readonly<Record<string, unknown>>;

const KEPT = ["section", "displayName", "category", "subCategory", "pluginName", "subjects", "options", "aliases"];
const builtinActions: ReadonlySet<string> = new Set([...typeActions.map(({ action }) => action), ...staticActions]);
/** Sections whose actions have a category below. */
const DIVIDED: ReadonlySet<unknown> = new Set(["settings", "plugins"]);

const idOf = ({ uid, pluginName }: Action): string => {
  if (pluginName === "admin") return `admin::${String(uid)}`;
  return pluginName ? `plugin::${String(pluginName)}.${String(uid)}` : `api::${String(uid)}`;
};

/** An action as Strapi keeps it. Throws for what is none. */
function describe(action: unknown): Action {
  if (!isRecord(action) || typeof action.uid !== "string") throw new Error("An administrator's action needs a uid");
  const subCategory = DIVIDED.has(action.section) ? action.subCategory || "general" : undefined;
  const kept = KEPT.flatMap((key) => {
    const value = key === "subCategory" ? subCategory : action[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { options: { applyToProperties: null }, ...Object.fromEntries(kept), actionId: idOf(action) };
}

export class AdministratorActions {
  readonly #actions = new Map<string, Action>();
  /** As code uses it. `register` rejects for what is no action, and for one that is registered. */
  readonly provider = {
    register: async (given: unknown): Promise<object> => {
      const action = describe(given);
      const id = String(action.actionId);
      if (this.#actions.has(id)) throw new Error(`Duplicated item key: ${id}`);
      this.#actions.set(id, action);
      return this.provider;
    },
    registerMany: async (actions: readonly unknown[]): Promise<object> => {
      for (const action of actions) await this.provider.register(action);
      return this.provider;
    },
    get: (id: string) => this.#actions.get(id),
    has: (id: string) => this.#actions.has(id) || builtinActions.has(id),
    keys: () => [...this.#actions.keys()],
    values: () => [...this.#actions.values()],
    size: () => this.#actions.size,
  };
}
