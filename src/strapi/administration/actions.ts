/** The permissions of administrators: those that code registers with `strapi.service("admin::permission").actionProvider`, and Strapi's own. */
import { staticActions, typeActions } from "../../engine/access/administrator-actions.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";

type Action = Readonly<Record<string, unknown>>;

const KEPT = ["section", "displayName", "category", "subCategory", "pluginName", "subjects", "options", "aliases"];
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

interface Type {
  readonly uid: string;
  readonly pluginOptions?: unknown;
}

const isDisplayed = ({ pluginOptions }: Type): boolean =>
  toRecord(toRecord(pluginOptions)["content-manager"]).visible !== false;

function builtinActions(types: readonly Type[]): Action[] {
  const onTypes = typeActions.map(({ action, displayName, hasFields, isForHidden }) => ({
    options: { applyToProperties: hasFields ? ["fields", "locales"] : ["locales"] },
    ...{ section: "contentTypes", displayName, pluginName: "content-manager" },
    subjects: types.filter((type) => isForHidden || isDisplayed(type)).map(({ uid }) => uid),
    actionId: action,
  }));
  return [...onTypes, ...staticActions.map((action) => ({ options: { applyToProperties: null }, ...action }))];
}

export class AdministratorActions {
  /** Those of code. */
  readonly #own = new Map<string, Action>();
  /** Created when code first asks, since it may change them. */
  readonly #builtin: () => ReadonlyMap<string, Action>;

  constructor(types: () => readonly Type[]) {
    this.#builtin = once(() => new Map(builtinActions(types()).map((action) => [String(action.actionId), action])));
  }

  readonly own = (): Action[] => [...this.#own.values()];

  readonly #all = (): Map<string, Action> => new Map([...this.#builtin(), ...this.#own]);

  /** As code uses it. `register` rejects for what is no action, and for one that is registered. */
  readonly provider = {
    register: async (given: unknown): Promise<object> => {
      const action = describe(given);
      const id = String(action.actionId);
      if (this.provider.has(id)) throw new Error(`Duplicated item key: ${id}`);
      this.#own.set(id, action);
      return this.provider;
    },
    registerMany: async (actions: readonly unknown[]): Promise<object> => {
      for (const action of actions) await this.provider.register(action);
      return this.provider;
    },
    get: (id: string) => this.#own.get(id) ?? this.#builtin().get(id),
    has: (id: string) => this.provider.get(id) !== undefined,
    keys: () => [...this.#all().keys()],
    values: () => [...this.#all().values()],
    size: () => this.#all().size,
  };
}
