/** Requests of the admin: by token at Strapi's paths, by session below the page's, and by nobody. */
import type { Choices } from "./choices.ts";
import { ADMIN_TOKEN, COOKIE } from "./project.ts";
import { operation, queryString } from "./queries.ts";
import { anything, chooseId, createData, modelOf, oddText, type TypeName, typeNames } from "./values.ts";

interface Place {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const uids = (random: Choices): string => modelOf(random.pick(typeNames));

/** Places of documents of a type, below its own. */
function documents(random: Choices): Place {
  const type: TypeName = random.pick(typeNames);
  const path = `/content-manager/collection-types/${modelOf(type)}`;
  const one = `${path}/${chooseId(random, type)}`;
  const ids = Array.from({ length: random.below(4) }, () => chooseId(random, type));
  return random.pick<() => Place>([
    () => ({ method: "GET", path }),
    () => ({ method: "GET", path: one }),
    () => ({ method: "POST", path, body: createData(random, type) }),
    () => ({ method: "PUT", path: one, body: createData(random, type) }),
    () => ({ method: "DELETE", path: one }),
    () => ({ method: "POST", path: `${path}/clone/${chooseId(random, type)}`, body: createData(random, type) }),
    () => ({ method: "POST", path: `${path}/actions/publish`, body: createData(random, type) }),
    () => ({ method: "POST", path: `${one}/actions/publish`, body: createData(random, type) }),
    () => ({
      method: "POST",
      path: `${one}/actions/${random.pick(["unpublish", "discard"])}`,
      body: { discardDraft: random.chance(0.5) },
    }),
    () => ({
      method: "POST",
      path: `${path}/actions/${random.pick(["bulkPublish", "bulkUnpublish", "bulkDelete"])}`,
      body: { documentIds: ids },
    }),
    () => ({ method: "GET", path: `${path}/actions/countManyEntriesDraftRelations` }),
    () => ({ method: "GET", path: `${one}/actions/countDraftRelations` }),
    () => ({
      method: "GET",
      path: `/content-manager/relations/${modelOf(type)}/${random.pick(["tags", "parent", "related", "posts"])}`,
    }),
    () => ({
      method: "GET",
      path: `/content-manager/relations/${modelOf(type)}/${chooseId(random, type)}/${random.pick(["tags", "children", "about"])}`,
    }),
  ])();
}

const ownPlaces: readonly ((random: Choices) => Place)[] = [
  (random) => ({ method: "GET", path: `/content-manager/content-types/${uids(random)}/configuration` }),
  (random) => ({
    method: "PUT",
    path: `/content-manager/content-types/${uids(random)}/configuration`,
    body: { settings: anything(random, 2), metadatas: anything(random, 3), layouts: anything(random, 4) },
  }),
  (random) => ({
    method: "POST",
    path: `/content-manager/uid/${random.pick(["generate", "check-availability"])}`,
    body: { contentTypeUID: uids(random), field: "slug", data: createData(random, "post"), value: oddText(random) },
  }),
  () => ({ method: "GET", path: "/upload/files" }),
  () => ({ method: "GET", path: "/upload/folders" }),
  (random) => ({
    method: "POST",
    path: "/upload/folders",
    body: { name: oddText(random), parent: anything(random, 1) },
  }),
  (random) => ({
    method: "POST",
    path: `/upload/actions/bulk-${random.pick(["move", "delete", "update"])}`,
    body: { fileIds: anything(random, 2), folderIds: anything(random, 2), destinationFolderId: anything(random, 1) },
  }),
  (random) => ({
    method: "POST",
    path: "/i18n/locales",
    body: { code: oddText(random), name: oddText(random), isDefault: anything(random, 1) },
  }),
  (random) => ({
    method: "POST",
    path: random.pick(["/admin/api-tokens", "/admin/transfer/tokens", "/admin/webhooks"]),
    body: {
      name: oddText(random),
      type: random.pick(["read-only", "custom"]),
      permissions: anything(random),
      url: oddText(random),
      events: anything(random),
      headers: anything(random),
    },
  }),
  () => ({ method: "GET", path: "/content-type-builder/content-types" }),
  () => ({ method: "GET", path: "/users-permissions/roles" }),
  (random) => ({
    method: "POST",
    path: "/users-permissions/roles",
    body: { name: oddText(random), description: oddText(random), permissions: anything(random) },
  }),
];

/** Below the page's path alone. */
const pagePlaces: readonly ((random: Choices) => Place)[] = [
  () => ({ method: "GET", path: "/start" }),
  () => ({ method: "GET", path: "/access" }),
  () => ({ method: "GET", path: "/files/unused" }),
  (random) => ({ method: "GET", path: `/files/${1 + random.below(9)}/uses` }),
  (random) => ({
    method: "POST",
    path: "/access/preview",
    body: { kind: random.pick(["role", "user", "token"]), change: anything(random, 4) },
  }),
  (random) => ({
    method: "POST",
    path: "/content-types/preview",
    body: {
      action: random.pick(["createType", "changeType", "removeType", "createComponent", "changeComponent"]),
      uid: random.pick([uids(random), "part.one"]),
      contentType: { ...(anything(random, 2) as object), attributes: anything(random, 3) },
      components: anything(random, 2),
      renames: anything(random, 2),
    },
  }),
  (random) => ({
    method: "POST",
    path: "/explain",
    body: {
      caller: random.slips(0.5) ? anything(random, 1) : { kind: "public" },
      method: random.pick(["GET", "POST", "PUT", "DELETE"]),
      url: `/api/posts?${queryString(random, "post")}`,
    },
  }),
  (random) => ({
    method: "POST",
    path: "/explain",
    body: { caller: { kind: "public" }, ...operation(random, random.pick(typeNames)) },
  }),
  (random) => ({ method: "POST", path: "/session", body: { token: anything(random, 1) } }),
];

const credentials: readonly ((random: Choices) => Readonly<Record<string, string>>)[] = [
  () => ({ cookie: COOKIE, "sec-fetch-site": "same-origin" }),
  (random) => ({
    cookie: COOKIE,
    "sec-fetch-site": random.pick(["same-site", "cross-site", "none"]),
    origin: oddText(random).replace(/[^ -~]/g, ""),
  }),
  () => ({}),
];

export interface AdminRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function adminRequest(random: Choices): AdminRequest {
  const ofPage = random.chance(0.3);
  const isByToken = !ofPage && random.chance(0.6);
  const make = ofPage ? random.pick(pagePlaces) : random.chance(0.6) ? documents : random.pick(ownPlaces);
  const { method, path, body } = make(random);
  const query = random.chance(0.3) ? `?${queryString(random, random.pick(typeNames))}` : "";
  const headers = isByToken
    ? { authorization: `Bearer ${ADMIN_TOKEN}` }
    : credentials[random.slips(0.3) ? 1 + random.below(2) : 0]!(random);
  return { method, path: `${isByToken ? "" : "/admin/api"}${path}${query}`, headers, body };
}
