/** Compares what two servers answer of the same types: REST, GraphQL, media, users and roles. */
import { getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { apiTypes, type Model } from "../../src/engine/schema/model.ts";
import { graphqlQueries } from "./graphql-queries.ts";
import { PAGE_SIZE, restQueries } from "./rest-queries.ts";
import { compareValues } from "./values.ts";

export interface Server {
  /** Without a slash at the end. */
  readonly url: string;
  /** An API token with full access. */
  readonly token: string;
}

export interface Comparison {
  readonly requests: number;
  readonly values: number;
  readonly documents: number;
  readonly files: number;
  /** A line each. */
  readonly differences: readonly string[];
}

/** Of types that plugins bring, such as files. */
const OTHER_ROWS = 100;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface ListBody {
  readonly data?: readonly unknown[];
  readonly meta?: { readonly pagination?: { readonly pageCount?: number; readonly total?: number } };
}

class Comparer {
  readonly #servers: readonly [Server, Server];
  readonly differences: string[] = [];
  requests = 0;
  values = 0;
  documents = 0;
  files = 0;

  constructor(a: Server, b: Server) {
    this.#servers = [a, b];
  }

  async #ask({ url, token }: Server, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text };
  }

  /** Returns the first server's answer. `shape`: what of an answer is compared. */
  async #both(name: string, path: string, body?: object, shape = (answer: unknown): unknown => answer) {
    const [a, b] = await Promise.all(this.#servers.map((server) => this.#ask(server, path, body)));
    this.requests++;
    const { values, difference } = compareValues(shape(a!.body), shape(b!.body));
    this.values += values;
    if (a!.status !== b!.status) this.differences.push(`${name}: status ${a!.status} or ${b!.status}`);
    else if (difference) this.differences.push(`${name}${difference}`);
    return a!.body;
  }

  async #list(path: string): Promise<number> {
    for (let page = 1; ; page++) {
      const url = `${path}${path.endsWith("?") ? "" : "&"}pagination[pageSize]=${PAGE_SIZE}&pagination[page]=${page}`;
      const { meta } = (await this.#both(url, url)) as ListBody;
      if (page >= (meta?.pagination?.pageCount ?? 0)) return meta?.pagination?.total ?? 0;
    }
  }

  async locales(): Promise<string[]> {
    const byCode = (body: unknown): unknown =>
      (body as { code: string }[]).toSorted((a, b) => (a.code < b.code ? -1 : 1));
    const body = await this.#both("locales", "/api/i18n/locales", undefined, byCode);
    return (body as { code: string }[]).map(({ code }) => code);
  }

  async rest(model: Model, locales: readonly string[]): Promise<Map<string, number>> {
    const totals = new Map<string, number>();
    for (const { path, isList } of restQueries(model, locales)) {
      const total = isList ? await this.#list(path) : ((await this.#both(path, path)) as ListBody).data ? 1 : 0;
      const name = path.slice("/api/".length, path.indexOf("?"));
      totals.set(name, Math.max(totals.get(name) ?? 0, total));
    }
    for (const total of totals.values()) this.documents += total;
    return totals;
  }

  /** `totals`: documents by the names that their types have in REST. */
  async graphql(
    model: Model,
    locales: readonly string[],
    totals: ReadonlyMap<string, number>,
    users: boolean,
  ): Promise<void> {
    const plain = (name: string): string => name.replace(/[^a-z0-9]/gi, "").toLowerCase();
    const counts = new Map([...totals].map(([name, total]) => [plain(name), total]));
    const count = (field: string): number => counts.get(plain(field)) ?? OTHER_ROWS;
    const answer = await this.#ask(this.#servers[1], "/graphql", { query: getIntrospectionQuery() });
    const { data } = answer.body as { data: IntrospectionQuery };
    for (const { name, query } of graphqlQueries(data, locales, count, listPasswords(model))) {
      if (!users && name.startsWith("usersPermissions")) continue;
      const body = (await this.#both(`graphql ${name}`, "/graphql", { query })) as { errors?: unknown };
      if (body.errors)
        this.differences.push(`graphql ${name} is refused: ${JSON.stringify(body.errors).slice(0, 300)}`);
    }
  }

  /** Records, and the bytes of each file and format. */
  async media(): Promise<void> {
    const records = (await this.#both("files", "/api/upload/files?sort=id")) as Record<string, unknown>[];
    for (const { url, formats } of records) {
      const urls = [
        url,
        ...Object.values((formats ?? {}) as Record<string, { url: string }>).map((format) => format.url),
      ];
      for (const path of urls as string[]) {
        if (!path.startsWith("/")) continue;
        const [a, b] = await Promise.all(this.#servers.map((server) => digest(`${server.url}${path}`)));
        this.requests++;
        this.files++;
        if (a !== b) this.differences.push(`${path}: ${a} or ${b}`);
      }
    }
  }

  async users(): Promise<void> {
    await this.#both("users", "/api/users?populate=role&sort=id");
    const { roles } = (await this.#both("roles", "/api/users-permissions/roles", undefined, byType)) as RolesBody;
    for (const { type } of roles) {
      const permissions = await Promise.all(this.#servers.map((server) => this.#actions(server, type)));
      this.requests++;
      const { values, difference } = compareValues(permissions[0], permissions[1]);
      this.values += values;
      if (difference) this.differences.push(`permissions of ${type}${difference}`);
    }
  }

  /** What a role may do. */
  async #actions(server: Server, type: string): Promise<string[]> {
    const { roles } = (await this.#ask(server, "/api/users-permissions/roles")).body as RolesBody;
    const id = roles.find((role) => role.type === type)?.id;
    const { role } = (await this.#ask(server, `/api/users-permissions/roles/${id}`)).body as RoleBody;
    return Object.entries(role?.permissions ?? {})
      .flatMap(([place, { controllers }]) =>
        Object.entries(controllers).flatMap(([controller, actions]) =>
          Object.entries(actions).flatMap(([action, { enabled }]) =>
            enabled ? [`${place}.${controller}.${action}`] : [],
          ),
        ),
      )
      .sort();
  }
}

/** Attributes whose hashes Strapi answers over GraphQL, and Galley does not. */
const listPasswords = ({ types, components }: Model): ReadonlySet<string> =>
  new Set(
    [...types.values(), ...components.values()].flatMap(({ attributes }) =>
      [...attributes.values()].filter(({ definition }) => definition.type === "password").map(({ name }) => name),
    ),
  );

interface RolesBody {
  readonly roles: readonly { readonly id: number; readonly type: string }[];
}

type Controllers = Readonly<Record<string, Readonly<Record<string, { readonly enabled: boolean }>>>>;

interface RoleBody {
  readonly role?: { readonly permissions: Readonly<Record<string, { readonly controllers: Controllers }>> };
}

const byType = (body: unknown): unknown =>
  (body as RolesBody).roles?.toSorted((a, b) => (a.type < b.type ? -1 : 1)) ?? body;

async function digest(url: string): Promise<string> {
  const response = await fetch(url);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return response.ok ? `${bytes.length} bytes, ${Bun.hash(bytes).toString(16)}` : `status ${response.status}`;
}

export interface CompareOptions {
  /** Users, roles and their permissions too. */
  readonly users: boolean;
  readonly graphql: boolean;
}

/** Everything of both servers that a token with full access is answered. */
export async function compareServers(model: Model, a: Server, b: Server, options: CompareOptions): Promise<Comparison> {
  const comparer = new Comparer(a, b);
  const locales = await comparer.locales();
  const totals = await comparer.rest(model, locales);
  if (options.graphql && apiTypes(model).length > 0) await comparer.graphql(model, locales, totals, options.users);
  await comparer.media();
  if (options.users) await comparer.users();
  const { requests, values, documents, files, differences } = comparer;
  return { requests, values, documents, files, differences };
}
