/** `createCoreRouter`. Code may also use the returned routes in routers of its own. */

import { type ContentActionName, contentActions } from "../../engine/access/action-names.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";

/** The properties of a content-type that its routes need. */
export type RoutedType = Pick<ContentType, "kind" | "singularName" | "pluralName">;

/** The core action of a route. */
export interface CoreAction {
  readonly uid: string;
  readonly action: ContentActionName;
}

const CORE = Symbol("galley.core-action");

export interface CoreRow {
  readonly method: string;
  readonly path: string;
  readonly handler: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** A symbol, so that copies of a row with the spread operator keep it. */
  readonly [CORE]: CoreAction;
}

interface RouterOptions {
  readonly prefix?: unknown;
  readonly config?: unknown;
  readonly only?: unknown;
  readonly except?: unknown;
  readonly type?: unknown;
}

export class UnknownTypeError extends Error {}

type FindType = (uid: string) => RoutedType | undefined;

const methods = {
  find: { method: "GET", one: false },
  findOne: { method: "GET", one: true },
  create: { method: "POST", one: false },
  update: { method: "PUT", one: true },
  delete: { method: "DELETE", one: true },
} as const satisfies Record<ContentActionName, unknown>;

interface TypeView {
  readonly kind: RoutedType["kind"];
  readonly info: Pick<RoutedType, "singularName" | "pluralName">;
}

let findType: FindType | undefined;

/** Lets routers find content-types while `work` runs: their files are loaded before the model exists. */
export function withTypes<T>(find: FindType, work: () => T): T {
  const previous = findType;
  findType = find;
  try {
    return work();
  } finally {
    findType = previous;
  }
}

/** The type as code sees it, once the project is open: code may make routers at any time. */
function servedType(uid: string): RoutedType | undefined {
  const { strapi } = globalThis as { strapi?: { contentType?: (name: string) => TypeView | undefined } };
  const view = strapi?.contentType?.(uid);
  return view && { kind: view.kind, ...view.info };
}

/** The routes, in Strapi's order. */
function createRoutes(uid: string, { config, only, except }: RouterOptions): CoreRow[] {
  const type = findType?.(uid) ?? servedType(uid);
  if (!type) throw new UnknownTypeError(`createCoreRouter: there is no content-type ${uid}`);
  const isSingle = type.kind === "singleType";
  const isIncluded = (action: string): boolean =>
    (!Array.isArray(only) || only.includes(action)) && !(Array.isArray(except) && except.includes(action));
  return contentActions(type)
    .filter(isIncluded)
    .map((action) => {
      const { method, one } = methods[action];
      const own = isRecord(config) ? config[action] : undefined;
      return {
        method,
        path: isSingle ? `/${type.singularName}` : `/${type.pluralName}${one ? "/:id" : ""}`,
        handler: `${uid}.${action}`,
        config: toRecord(own),
        [CORE]: { uid, action },
      };
    });
}

export function coreRouter(uid: string, options: RouterOptions = {}) {
  const { prefix, type = "content-api" } = options;
  let rows: CoreRow[] | undefined;
  return {
    type: String(type),
    prefix: stringOrNone(prefix),
    get routes() {
      rows ??= createRoutes(uid, options);
      return rows;
    },
  };
}

/** Undefined for other routes, and for core routes whose handler or method was changed. */
export function findCoreAction(row: Readonly<Record<string, unknown>>): CoreAction | undefined {
  const core = (row as Partial<CoreRow>)[CORE];
  return core && row.handler === `${core.uid}.${core.action}` && row.method === methods[core.action].method
    ? core
    : undefined;
}
