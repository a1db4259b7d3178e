/** `strapi.contentAPI.addQueryParams` and `addInputParams`: parameters that code adds to routes, with their zod schemas. */

import { isParameter } from "../../engine/query/strict-params.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { inputSchemas, JSON_BODY, type RouteRequest } from "../loader/route-schemas.ts";
import type { DeclaredRoute } from "../loader/routes.ts";
import { strapiUtils } from "../packages/utils.ts";

interface ExtraParam {
  readonly name: string;
  readonly schema: unknown;
  readonly matchRoute: ((route: object) => unknown) | undefined;
}

type Kind = "addQueryParams" | "addInputParams";

const IDS = new Set(["id", "documentId"]);
const isReserved: Readonly<Record<Kind, (name: string) => boolean>> = {
  addQueryParams: isParameter,
  addInputParams: (name) => IDS.has(name),
};

export class ExtraParams {
  readonly #params: Readonly<Record<Kind, ExtraParam[]>> = { addQueryParams: [], addInputParams: [] };

  readonly addQueryParams = (options: Readonly<Record<string, unknown>>): void => this.#add("addQueryParams", options);
  readonly addInputParams = (options: Readonly<Record<string, unknown>>): void => this.#add("addInputParams", options);

  /** Throws for names that are taken. */
  #add(kind: Kind, options: Readonly<Record<string, unknown>>): void {
    const params = this.#params[kind];
    for (const [name, entry] of Object.entries(options)) {
      const { schema: given, matchRoute } = toRecord(entry);
      const schema: unknown = typeof given === "function" ? given(strapiUtils().z) : given;
      if (isReserved[kind](name))
        throw new Error(`contentAPI.${kind}: param "${name}" is reserved by Strapi; use a different name`);
      if (params.some((param) => param.name === name))
        throw new Error(`contentAPI.${kind}: param "${name}" has already been added`);
      params.push({
        name,
        schema,
        matchRoute: typeof matchRoute === "function" ? (matchRoute as ExtraParam["matchRoute"]) : undefined,
      });
    }
  }

  /** Adds the parameters to a route that an api or plugin declares. Throws for a name that the route has already. */
  applyTo(route: DeclaredRoute): DeclaredRoute {
    const { method, ownPath: path, handler, config, info } = route;
    const { type: _, ...owner } = info;
    let request: RouteRequest | undefined;
    const view = { method, path, handler, config, info: owner };
    const matching = (kind: Kind) =>
      this.#params[kind].filter(
        ({ matchRoute }) =>
          !matchRoute ||
          matchRoute({ ...view, ...((request ?? route.request) ? { request: request ?? route.request } : {}) }),
      );
    const taken = (kind: Kind, name: string) =>
      new Error(`contentAPI.${kind}: param "${name}" already exists on route ${method} ${path}`);
    for (const { name, schema } of matching("addQueryParams")) {
      const current = request ?? route.request;
      const query = isRecord(current?.query) ? current.query : {};
      if (Object.hasOwn(query, name)) throw taken("addQueryParams", name);
      request = { ...current, query: { ...query, [name]: schema } };
    }
    for (const { name, schema } of matching("addInputParams")) {
      const current = request ?? route.request;
      const shape = inputSchemas({ request: current });
      if (Object.hasOwn(shape, name)) throw taken("addInputParams", name);
      const body = isRecord(current?.body) ? current.body : {};
      // only its shape is used, which any schema may be in
      request = { ...current, body: { ...body, [JSON_BODY]: { shape: { ...shape, [name]: schema } } } };
    }
    return request ? { ...route, request } : route;
  }
}
