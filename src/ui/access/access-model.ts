/** Roles and permissions as the server returns them, and the table in which the page shows them. */
import { compareNames } from "../compare-names.ts";
import { formatLabel, start } from "../model.ts";

export interface Role {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  /** How many have it. */
  readonly users: number;
  readonly actions: readonly string[];
  /** Those that the project's own code grants when it starts. */
  readonly actionsFromCode: readonly string[];
  readonly isInFile: boolean;
}

type Controllers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Access {
  readonly source: { readonly file: string; readonly problem?: string };
  readonly roles: readonly Role[];
  readonly permissions: Readonly<Record<string, { readonly controllers: Controllers }>>;
  readonly usersInFile: readonly string[];
  readonly tokensInFile: readonly string[];
  readonly defaultRole: string;
}

/** A row of the table: a controller, with its actions by their short names. */
export interface ActionRow {
  readonly label: string;
  readonly actions: ReadonlyMap<string, string>;
}

export interface ActionGroup {
  readonly label: string;
  readonly rows: readonly ActionRow[];
}

/** The actions of content-types, in the order of their columns. */
export const contentActions = ["find", "findOne", "create", "update", "delete"] as const;

const isContentRow = ({ actions }: ActionRow): boolean =>
  [...actions.keys()].every((action) => (contentActions as readonly string[]).includes(action));

const nameOfType = (uid: string): string =>
  start.value?.contentTypes.find((type) => type.uid === uid)?.info.displayName ?? uid.slice(uid.lastIndexOf(".") + 1);

/** What plugins are for, where their names do not say it. */
const pluginLabels: Readonly<Record<string, string>> = {
  "plugin::content-type-builder": "Content-types",
  "plugin::upload": "Media library",
  "plugin::i18n": "Locales",
  "plugin::users-permissions": "Users and sign-in",
};

const labelOfNamespace = (namespace: string): string =>
  pluginLabels[namespace] ?? formatLabel(namespace.replace(/^(plugin|api)::/, ""));

export interface ActionTable {
  /** Content-types: the columns are `contentActions`. */
  readonly types: readonly ActionRow[];
  readonly groups: readonly ActionGroup[];
}

/** `granted`: actions that no longer exist are listed too, so that they can be revoked. */
export function actionTable({ permissions }: Access, granted: readonly string[]): ActionTable {
  const types: ActionRow[] = [];
  const groups: ActionGroup[] = [];
  const listed = new Set<string>();
  for (const [namespace, { controllers }] of Object.entries(permissions)) {
    const rows = Object.entries(controllers).map(([controller, actions]) => {
      const names = new Map(Object.keys(actions).map((action) => [action, `${namespace}.${controller}.${action}`]));
      for (const name of names.values()) listed.add(name);
      const isType = namespace.startsWith("api::");
      return { label: isType ? nameOfType(`${namespace}.${controller}`) : formatLabel(controller), actions: names };
    });
    if (namespace.startsWith("api::") && rows.every(isContentRow)) types.push(...rows);
    else groups.push({ label: labelOfNamespace(namespace), rows });
  }
  const others = granted.filter((action) => !listed.has(action));
  if (others.length > 0) {
    const actions = new Map(others.map((action) => [action, action]));
    groups.push({ label: "Others", rows: [{ label: "From project code, or no longer existing", actions }] });
  }
  return { types: types.toSorted((a, b) => compareNames(a.label, b.label)), groups };
}

/** Actions in the format of the role routes. */
export function permissionMap(actions: readonly string[]): object {
  const map: Record<string, { controllers: Record<string, Record<string, { enabled: true }>> }> = {};
  for (const name of actions) {
    const [namespace, controller, action] = name.split(".");
    if (namespace === undefined || controller === undefined || action === undefined) continue;
    map[namespace] ??= { controllers: {} };
    map[namespace].controllers[controller] ??= {};
    map[namespace].controllers[controller][action] = { enabled: true };
  }
  return map;
}
