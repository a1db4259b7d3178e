/** Random requests that know the types of the project: REST and GraphQL, reads and writes. */
import { stringify } from "qs";
import type { Random } from "../../../random.ts";

export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Fields of a form, which has a file as well. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Params = Record<string, unknown>;

/** The keys of each type, and where those that lead on lead to. */
const types: Readonly<Record<string, { readonly values: readonly string[]; readonly links: Record<string, string> }>> =
  {
    post: {
      values: ["title", "rank", "code", "pass", "id", "createdAt", "nothing"],
      links: {
        owner: "user",
        tags: "tag",
        hidden: "vault",
        secretTag: "tag",
        subject: "tag",
        related: "tag",
        part: "part",
        zone: "part",
        createdBy: "user",
        cover: "file",
        secretFiles: "file",
      },
    },
    news: {
      values: ["title", "note", "id", "locale", "publishedAt", "nothing"],
      links: { hidden: "vault", tags: "tag", zone: "part", localizations: "news", updatedBy: "user" },
    },
    home: { values: ["title", "id"], links: { owner: "user", hidden: "vault", tags: "tag" } },
    file: { values: ["name", "mime", "size", "id"], links: { related: "post", folder: "folder" } },
    folder: { values: ["name"], links: { files: "file" } },
    tag: {
      values: ["name", "id", "nothing"],
      links: { posts: "post", mentions: "post", mention: "post", vaults: "vault" },
    },
    vault: { values: ["name", "views", "id"], links: { related: "tag" } },
    part: { values: ["label", "inner", "id"], links: { vault: "vault", tag: "tag" } },
    user: { values: ["username", "email", "password", "resetPasswordToken", "id"], links: { role: "role" } },
    role: { values: ["name", "type"], links: { permissions: "permission", users: "user" } },
    permission: { values: ["action"], links: { role: "role" } },
  };

const secretValues = new Set(["note", "code", "pass", "nothing", "inner", "password", "resetPasswordToken"]);
const openLinks = new Set(["tags", "posts", "mentions", "mention", "part", "tag", "cover", "localizations"]);

const uids = [
  "api::tag.tag",
  "api::post.post",
  "api::vault.vault",
  "plugin::users-permissions.user",
  "plugin::users-permissions.role",
  "plugin::users-permissions.permission",
  "plugin::upload.file",
  "api::news.news",
  "parts.part",
];
const typeOf: Readonly<Record<string, string>> = {
  "api::tag.tag": "tag",
  "api::post.post": "post",
  "api::vault.vault": "vault",
  "api::news.news": "news",
  "plugin::users-permissions.user": "user",
  "plugin::upload.file": "file",
  "parts.part": "part",
};
const graphqlNames: Readonly<Record<string, string>> = { post: "Post", tag: "Tag", news: "News" };
const morphs = new Set(["related", "subject", "zone"]);
const manyInGraphql = new Set(["tags", "posts", "mentions", "vaults", "localizations"]);
/** Of how many documents both applications know the ids, by route. */
const knownDocuments: Readonly<Record<string, number>> = { posts: 6, tags: 4, newss: 3, vaults: 3 };
const texts = [
  "alpha-one",
  "omega-two",
  "alpha-one-1",
  "post-1",
  "tag-2",
  "known",
  "$2b$10$",
  "@example.com",
  "late-",
  "0",
  "1",
  "2",
];
const operators = [
  "$eq",
  "$ne",
  "$gt",
  "$lt",
  "$in",
  "$notIn",
  "$contains",
  "$containsi",
  "$startsWith",
  "$endsWithi",
  "$null",
  "$notNull",
];

export class Requests {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): GeneratedRequest {
    const kind = this.#random.next();
    if (kind < 0.5) return this.#read();
    if (kind < 0.72) return this.#write();
    if (kind < 0.75) return this.#upload();
    if (kind < 0.8) return this.#ownRoute();
    return this.#graphql();
  }

  /** Mostly what may be looked at: one forbidden step is enough to have everything refused. */
  #valueOf(type: string): string {
    const { values } = types[type]!;
    return this.#random.pick(this.#random.chance(0.85) ? values.filter((name) => !secretValues.has(name)) : values);
  }

  #linkOf(type: string): readonly [name: string, target: string] {
    const links = Object.entries(types[type]!.links);
    const open = links.filter(([name]) => openLinks.has(name));
    return this.#random.pick(open.length > 0 && this.#random.chance(0.85) ? open : links);
  }

  #value(): unknown {
    return this.#random.pick(texts);
  }

  #comparison(): unknown {
    const operator = this.#random.pick(operators);
    if (this.#random.chance(0.2)) return this.#value();
    if (operator.endsWith("ull")) return { [operator]: this.#random.chance(0.5) };
    return { [operator]: operator.endsWith("n") ? [this.#value(), this.#value()] : this.#value() };
  }

  #filters(type: string, depth = 3): Params {
    const chance = this.#random.next();
    if (depth > 0 && chance < 0.2) {
      const members = Array.from({ length: 1 + this.#random.below(2) }, () =>
        this.#random.chance(0.3) ? [this.#filters(type, depth - 1)] : this.#filters(type, depth - 1),
      );
      const group = this.#random.pick(["$and", "$or", "$not"]);
      return { [group]: group === "$not" && this.#random.chance(0.5) ? this.#filters(type, depth - 1) : members };
    }
    if (depth > 0 && chance < 0.75) {
      const [name, target] = this.#linkOf(type);
      if (this.#random.chance(0.1))
        return { [name]: this.#random.pick(["1", "2", { $null: true }, { $notNull: true }]) };
      return { [name]: this.#filters(target, depth - 1) };
    }
    return { [this.#valueOf(type)]: this.#comparison() };
  }

  #path(type: string): string {
    const steps: string[] = [];
    let at = type;
    while (steps.length < 3 && this.#random.chance(0.6)) {
      const [name, target] = this.#linkOf(at);
      steps.push(name);
      at = target;
    }
    return [...steps, this.#valueOf(at)].join(".");
  }

  #sort(type: string): unknown {
    const key = (): string => this.#path(type) + this.#random.pick(["", ":asc", ":desc"]);
    if (this.#random.chance(0.6)) return key();
    if (this.#random.chance(0.5)) return [key(), key()];
    return this.#path(type)
      .split(".")
      .reduceRight<unknown>((below, name) => ({ [name]: below }), "desc");
  }

  #populate(type: string, depth = 2): unknown {
    const names = Object.keys(types[type]!.links);
    const chance = this.#random.next();
    if (names.length === 0 || chance < 0.2) return "*";
    if (chance < 0.35) return this.#path(type).split(".").slice(0, -1).join(".") || "*";
    if (chance < 0.45) return [this.#random.pick(names), this.#random.pick(names)];
    const chosen = [this.#random.pick(names), this.#random.pick(names)];
    return Object.fromEntries(chosen.map((name) => [name, this.#options(name, types[type]!.links[name]!, depth)]));
  }

  #options(name: string, target: string, depth: number): unknown {
    if (depth === 0 || this.#random.chance(0.2)) return this.#random.pick<unknown>([true, "*", { count: true }]);
    if (morphs.has(name) && this.#random.chance(0.8)) {
      if (this.#random.chance(0.2)) return { populate: "*" };
      const chosen = [this.#random.pick(uids), this.#random.pick(uids)];
      return { on: Object.fromEntries(chosen.map((uid) => [uid, this.#fragment(typeOf[uid], depth)])) };
    }
    return this.#nested(target, depth);
  }

  #fragment(type: string | undefined, depth: number): unknown {
    return type === undefined || this.#random.chance(0.3) ? true : this.#nested(type, depth);
  }

  #nested(type: string, depth: number): Params {
    const options: Params = {};
    if (this.#random.chance(0.5)) options.filters = this.#filters(type, 2);
    if (this.#random.chance(0.3)) options.sort = this.#sort(type);
    if (this.#random.chance(0.15)) options.fields = [this.#valueOf(type)];
    if (this.#random.chance(0.05)) options.count = true;
    if (this.#random.chance(0.05)) options.on = { [this.#random.pick(uids)]: true };
    if (this.#random.chance(0.5)) options.populate = this.#populate(type, depth - 1);
    return options;
  }

  #params(type: string): Params {
    const params: Params = {};
    if (this.#random.chance(0.5)) params.filters = this.#filters(type);
    if (this.#random.chance(0.3)) params.sort = this.#sort(type);
    if (this.#random.chance(0.1)) params.fields = [this.#valueOf(type)];
    if (this.#random.chance(0.5)) params.populate = this.#populate(type);
    // longer than two letters, which the random ids of documents have by chance
    if (this.#random.chance(0.1)) params._q = this.#random.pick(texts.slice(0, 7));
    if (this.#random.chance(0.1)) params.pagination = { page: 1 + this.#random.below(2), pageSize: 2 };
    if (this.#random.chance(0.05)) params.status = "draft";
    if (this.#random.chance(type === "news" ? 0.4 : 0.03)) params.locale = this.#random.pick(["de", "en", "*", "fr"]);
    if (this.#random.chance(0.03)) params.publicationFilter = this.#random.pick(["modified", "never-published", "x"]);
    return params;
  }

  #url(path: string, params: Params): string {
    const query = stringify(params, { encodeValuesOnly: true });
    return query === "" ? path : `${path}?${query}`;
  }

  #read(): GeneratedRequest {
    const [path, type] = this.#random.pick([
      ["/api/posts", "post"],
      ["/api/posts", "post"],
      ["/api/tags", "tag"],
      ["/api/tags", "tag"],
      ["/api/newss", "news"],
      ["/api/newss", "news"],
      ["/api/home", "home"],
      ["/api/vaults", "vault"],
      ["/api/users/me", "user"],
      ["/api/users", "user"],
      ["/api/upload/files", "file"],
      ["/api/upload/files", "file"],
    ] as const);
    const one = knownDocuments[path.slice("/api/".length)] !== undefined && this.#random.chance(0.2);
    const place = one ? `${path}/${this.#document(path.slice("/api/".length))}` : path;
    const ofFile =
      path === "/api/upload/files" && this.#random.chance(0.2) ? `${path}/${1 + this.#random.below(4)}` : place;
    const method = this.#random.chance(0.97) ? "GET" : "HEAD";
    const url = this.#url(ofFile, this.#params(type));
    return this.#random.chance(0.1)
      ? { method, path: url, headers: { "strapi-encode-source-maps": "true" } }
      : { method, path: url };
  }

  /** Of Galley's own, those of the page included. `@token-N` stands for the token of an earlier answer. */
  #ownRoute(): GeneratedRequest {
    if (this.#random.chance(0.1)) {
      const path = this.#random.pick(["/admin/api/trash", "/admin/api/trash/1", "/galley/changes?since=x"]);
      return { method: "GET", path };
    }
    const params: Params = this.#random.chance(0.2) ? { full: 1 } : { since: `@token-${this.#random.below(1_000)}` };
    if (this.#random.chance(0.2)) params.status = this.#random.pick(["draft", "published", "modified"]);
    if (this.#random.chance(0.3)) params.limit = this.#random.pick([1, 2, 5, 0]);
    if (this.#random.chance(0.2)) params.populate = this.#populate("post");
    if (this.#random.chance(0.3)) {
      const uid = this.#random.pick(uids);
      const type = typeOf[uid] ?? "role";
      params.query = { [uid]: { populate: this.#populate(type), fields: [this.#valueOf(type)] } };
    }
    return { method: "GET", path: this.#url("/galley/changes", params) };
  }

  /** Stands for the id that the document has in each application. */
  #document(route: string): string {
    return `@${route}-${this.#random.below(knownDocuments[route] ?? 1)}`;
  }

  #target(): unknown {
    const id = 1 + this.#random.below(6);
    const known = this.#document(this.#random.pick(["tags", "posts", "vaults"]));
    const position = this.#random.pick([{ before: id }, { after: known }, { start: true }, { end: true }]);
    return this.#random.pick<unknown>([
      id,
      { id },
      { documentId: "abcdefghijklmnopqrstuvwx" },
      `${id}`,
      known,
      { documentId: known },
      { id, position },
      { documentId: known, locale: "de", position },
    ]);
  }

  #polymorphicTarget(): unknown {
    const target = { __type: this.#random.pick(uids), id: 1 + this.#random.below(6) };
    const documentId = this.#document(this.#random.pick(["tags", "posts", "vaults"]));
    return this.#random.pick<unknown>([
      target,
      { ...target, position: { start: true } },
      { ...target, position: { before: { id: 1 + this.#random.below(6), __type: this.#random.pick(uids) } } },
      { ...target, position: { after: 1 + this.#random.below(6), __type: this.#random.pick(uids) } },
      { ...target, position: { before: documentId, __type: this.#random.pick(uids) } },
      { __type: target.__type, documentId },
      { __type: target.__type, documentId, locale: this.#random.pick(["en", "de", null]) },
      target.id,
    ]);
  }

  #link(isPolymorphic: boolean): unknown {
    const target = isPolymorphic ? this.#polymorphicTarget() : this.#target();
    return this.#random.pick<unknown>([
      target,
      [target],
      { connect: [target] },
      { set: [target] },
      { disconnect: [target] },
      { connect: [target], disconnect: [this.#target()] },
      { connect: target, options: { strict: false } },
    ]);
  }

  #data(type: string, depth = 1): Params {
    const { links } = types[type]!;
    const data: Params = {};
    if (this.#random.chance(0.6)) data[this.#valueOf(type)] = this.#value();
    for (const [name, target] of Object.entries(links)) {
      if (!this.#random.chance(openLinks.has(name) ? 0.3 : 0.06)) continue;
      if (name === "part" && depth > 0) data.part = this.#data("part", depth - 1);
      else if (name === "zone" && depth > 0)
        data.zone = [{ __component: "parts.part", ...this.#data("part", depth - 1) }];
      else if (target !== "part") data[name] = this.#link(name === "related" || name === "subject");
    }
    return data;
  }

  #write(): GeneratedRequest {
    const [route, type] = this.#random.pick([
      ["posts", "post"],
      ["posts", "post"],
      ["tags", "tag"],
      ["newss", "news"],
      ["home", "home"],
    ] as const);
    const kind = this.#random.next();
    const body = { data: this.#data(type) };
    if (type === "home") return { method: "PUT", path: this.#url("/api/home", this.#params(type)), body };
    if (kind < 0.5) return { method: "POST", path: this.#url(`/api/${route}`, this.#params(type)), body };
    const path = this.#url(`/api/${route}/${this.#document(route)}`, this.#params(type));
    return kind < 0.99 ? { method: "PUT", path, body } : { method: "DELETE", path };
  }

  #selection(type: string, depth: number): string {
    const fields: Readonly<Record<string, readonly string[]>> = {
      post: ["title", "rank", "code", "pass"],
      news: ["title", "note", "locale"],
      home: ["title"],
      file: ["name"],
      folder: [],
      tag: ["name"],
      vault: ["name", "views"],
      part: ["label", "inner"],
      user: ["username", "email"],
      role: ["name"],
      permission: ["action"],
    };
    const scalars = fields[type]!.filter(
      (name) => !["code", "pass", "inner", "note"].includes(name) || this.#random.chance(0.02),
    );
    const links = Object.entries(types[type]!.links).filter(
      ([name]) =>
        !["createdBy", "updatedBy", "secretTag", "secretFiles", "folder"].includes(name) &&
        (openLinks.has(name) || this.#random.chance(0.3)),
    );
    const below =
      depth === 0 ? [] : links.filter(() => this.#random.chance(0.3)).map((link) => this.#field(link, depth));
    return [...scalars, ...below].join(" ") || "__typename";
  }

  #field([name, target]: readonly [string, string], depth: number): string {
    if (morphs.has(name)) {
      return `${name} { __typename ... on Tag { name } ... on Vault { name views } ... on Post { title } ... on UsersPermissionsUser { email } ... on ComponentPartsPart { label } }`;
    }
    const isMany = manyInGraphql.has(name);
    const below = this.#selection(target, depth - 1);
    if (isMany && this.#random.chance(0.25)) {
      return `${name}_connection${this.#arguments(target, 1)} { pageInfo { total pageCount } nodes { ${below} } }`;
    }
    return `${name}${isMany ? this.#arguments(target, 1) : ""} { ${below} }`;
  }

  #arguments(type: string, depth: number): string {
    const given: string[] = [];
    if (this.#random.chance(0.4)) given.push(`filters: ${graphqlValue(graphqlFilters(this.#filters(type, depth)))}`);
    if (this.#random.chance(0.3)) given.push(`sort: ${JSON.stringify([this.#path(type)])}`);
    return given.length === 0 ? "" : `(${given.join(", ")})`;
  }

  /** A file for an entry, or in the place of another one. */
  #upload(): GeneratedRequest {
    const id = String(1 + this.#random.below(6));
    const place = {
      ref: this.#random.pick(uids),
      refId: this.#random.chance(0.5) ? id : this.#document(this.#random.pick(["tags", "posts", "vaults"])),
      field: this.#random.pick(["cover", "secretFiles", "files", "title", "nothing"]),
    };
    const form = this.#random.chance(0.7) ? place : { fileInfo: JSON.stringify({ caption: this.#value() }) };
    const path = this.#random.chance(0.7) ? "/api/upload" : `/api/upload?id=${id}`;
    return { method: "POST", path, form };
  }

  #graphql(): GeneratedRequest {
    const body = this.#random.pick([
      () => ({ query: this.#operation() }),
      () => ({ query: this.#operation() }),
      () => this.#operationWithVariables(),
      () => ({ query: this.#operationWithFragment() }),
      () => ({ query: this.#fileOperation() }),
    ])();
    return { method: "POST", path: "/graphql", body };
  }

  #operationWithVariables(): { readonly query: string; readonly variables: Params } {
    const type = this.#random.pick(["post", "tag", "news"]);
    const name = graphqlNames[type]!;
    const variables = {
      f: graphqlFilters(this.#filters(type)),
      s: [this.#path(type)],
      l: this.#random.pick(["de", "*"]),
    };
    const locale = type === "news" ? { declared: ", $l: I18NLocaleCode", used: ", locale: $l" } : undefined;
    const query = `query($f: ${name}FiltersInput, $s: [String]${locale?.declared ?? ""}) {
      ${type}s(filters: $f, sort: $s${locale?.used ?? ""}) { ${this.#selection(type, 2)} } }`;
    return { query, variables };
  }

  /** The same fields twice, of differing lists. */
  #operationWithFragment(): string {
    const type = this.#random.pick(["post", "tag", "news"]);
    const list = (alias: string): string => `${alias}: ${type}s${this.#arguments(type, 2)} { ...F @include(if: true) }`;
    return `{ ${list("one")} ${list("two")} } fragment F on ${graphqlNames[type]} { ${this.#selection(type, 2)} }`;
  }

  #fileOperation(): string {
    if (this.#random.chance(0.2)) return "{ me { username email role { name } } }";
    const related = "related { __typename ... on Post { title } ... on Vault { name views } ... on Tag { name } }";
    const selection = `name ${this.#random.chance(0.6) ? related : "caption"}`;
    if (this.#random.chance(0.3)) return `{ uploadFiles_connection { pageInfo { total } nodes { ${selection} } } }`;
    return `{ uploadFiles${this.#arguments("file", 2)} { ${selection} } }`;
  }

  #operation(): string {
    if (this.#random.chance(0.3)) return `mutation { ${this.#mutation()} }`;
    const type = this.#random.pick(["post", "post", "tag", "tag", "news", "home"]);
    const selection = this.#selection(type, 2);
    if (type === "home") return `{ home { ${selection} } }`;
    const chance = this.#random.next();
    if (chance < 0.15) return `{ ${type}(documentId: "${this.#document(`${type}s`)}") { ${selection} } }`;
    if (chance < 0.4) {
      const page = this.#random.chance(0.5) ? "pageInfo { total page pageSize pageCount }" : "";
      return `{ ${type}s_connection${this.#arguments(type, 3)} { ${page} nodes { ${selection} } } }`;
    }
    return `{ ${type}s${this.#arguments(type, 3)} { ${selection} } }`;
  }

  #mutation(): string {
    const type = this.#random.pick(["post", "post", "tag", "news"]);
    const name = graphqlNames[type]!;
    const own = type === "tag" ? { name: "made" } : { title: "made" };
    const linked = this.#random.chance(0.5) ? { hidden: this.#document("vaults") } : { tags: [this.#document("tags")] };
    const data = graphqlValue({ ...own, ...(type === "tag" ? {} : linked) });
    const id = `documentId: "${this.#document(`${type}s`)}"`;
    const chance = this.#random.next();
    if (chance < 0.02) return `delete${name}(${id}) { documentId }`;
    const field = chance < 0.55 ? `create${name}(data: ${data})` : `update${name}(${id}, data: ${data})`;
    return `${field} { ${this.#selection(type, 2)} }`;
  }
}

/** Operators without their dollar; lists of groups are what GraphQL has of them. */
function graphqlFilters(value: unknown): unknown {
  if (Array.isArray(value)) return value.flat().map(graphqlFilters);
  if (typeof value !== "object" || value === null) return { eq: value };
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (!key.startsWith("$")) return [key, graphqlFilters(inner)];
      if (key === "$and" || key === "$or") return [key.slice(1), graphqlFilters(inner)];
      if (key === "$not") return ["not", Array.isArray(inner) ? graphqlFilters(inner[0]) : graphqlFilters(inner)];
      return [key.slice(1), inner];
    }),
  );
}

function graphqlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(graphqlValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}: ${graphqlValue(inner)}`)
    .join(", ")}}`;
}
