/** Every place of a query that can name an attribute, with everything that a caller must not look at in it. */
import { afterAll, describe, expect, test } from "bun:test";
import { ADMIN } from "../../../project.ts";
import { secretApp } from "./project.ts";

const sides = await Promise.all([secretApp("alpha-one"), secretApp("omega-two")]);
afterAll(async () => {
  for (const { app } of sides) await app.close();
});

/** Paths from a post, with a value that they have in the first application. */
const fromPost: Readonly<Record<string, readonly [path: string, value: string]>> = {
  "a private attribute": ["code", "alpha-one-1"],
  "a password": ["pass", "$2"],
  "an attribute of users": ["owner.username", "user-alpha-one"],
  "an attribute of a type that may not be found": ["hidden.name", "alpha-one-1"],
  "the id of such a row": ["hidden.id", "1"],
  "a relation to such a type": ["hidden", "2"],
  "a private relation": ["secretTag.name", "tag-1"],
  "a private attribute of a component": ["part.inner", "alpha-one-1"],
  "a relation of a component": ["part.vault.name", "alpha-one-1"],
  "several types": ["related.id", "1"],
  "who made it": ["createdBy.email", "a"],
};
/** The same by way of other types. */
const fromTag = Object.fromEntries(
  Object.entries(fromPost).flatMap(([name, [path, value]]) => [
    [name, [`posts.${path}`, value]],
    [`${name}, behind a relation of several types`, [`mentions.${path}`, value]],
    [`${name}, behind one of them`, [`mention.${path}`, value]],
  ]),
) as typeof fromPost;

const brackets = (path: string): string => `[${path.replaceAll(".", "][")}]`;
const queryFilter = (at: string, path: string, value: string): string => `${at}${brackets(path)}[$startsWith]=${value}`;
/** `{ a: { b: … } }` */
const braces = (path: string, last: string): string =>
  path.split(".").reduceRight((inner, name) => `{ ${name}: ${inner} }`, last);
const graphql = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;

type Place = (path: string, value: string) => string;

const placesOf = (type: "post" | "tag"): Readonly<Record<string, Place>> => ({
  filters: (path, value) => `/api/${type}s?${queryFilter("filters", path, value)}`,
  "filters of equal values": (path, value) => `/api/${type}s?filters${brackets(path)}=${value}`,
  "a group": (path, value) => `/api/${type}s?${queryFilter("filters[$or][0]", path, value)}&filters[$or][1][id]=0`,
  "a list in a group": (path, value) => `/api/${type}s?${queryFilter("filters[$or][0][0]", path, value)}`,
  "a negation": (path, value) => `/api/${type}s?${queryFilter("filters[$not]", path, value)}`,
  "a list in a negation": (path, value) => `/api/${type}s?${queryFilter("filters[$not][0]", path, value)}`,
  "sort as a text": (path) => `/api/${type}s?sort=${path}:desc`,
  "sort as a list": (path) => `/api/${type}s?sort[0]=${path}&sort[1]=id`,
  "sort as an object": (path) => `/api/${type}s?sort${brackets(path)}=desc`,
  fields: (path) => `/api/${type}s?fields[0]=${path}`,
  "the count of a page": (path, value) =>
    `/api/${type}s?${queryFilter("filters", path, value)}&pagination[pageSize]=1&fields=id`,
  "GraphQL filters": (path, value) =>
    graphql(`{ ${type}s(filters: ${braces(path, `{ startsWith: ${JSON.stringify(value)} }`)}) { documentId } }`),
  "GraphQL sort": (path) => graphql(`{ ${type}s(sort: "${path}:desc") { documentId } }`),
  "GraphQL counts": (path) => graphql(`{ ${type}s_connection(sort: "${path}") { pageInfo { total } } }`),
});

/** Places in which a query for tags is nested. */
const nestedPlaces: Readonly<Record<string, Place>> = {
  "filters of what is populated": (path, value) => `/api/posts?${queryFilter("populate[tags][filters]", path, value)}`,
  "sort of what is populated": (path) => `/api/posts?populate[tags][sort]=${path}:desc`,
  "fields of what is populated": (path) => `/api/posts?populate[tags][fields][0]=${path}`,
  "filters of what is populated two levels below": (path, value) =>
    `/api/tags?${queryFilter("populate[posts][populate][tags][filters]", path, value)}`,
  "filters of one of several types": (path, value) =>
    `/api/posts?${queryFilter("populate[related][on][api::tag.tag][filters]", path, value)}`,
  "sort of one of several types": (path) => `/api/posts?populate[related][on][api::tag.tag][sort]=${path}`,
  "GraphQL filters of a relation": (path, value) =>
    graphql(`{ posts { tags(filters: ${braces(path, `{ startsWith: ${JSON.stringify(value)} }`)}) { name } } }`),
  "GraphQL sort of a relation": (path) => graphql(`{ posts { tags(sort: "${path}") { name } } }`),
};

const normal = (text: string): string =>
  text
    .replace(/"documentId":"[a-z0-9]{24}"/g, '"documentId":""')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")
    .replace(/_[0-9a-f]{10}\b/g, "");

async function answers(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }[]> {
  return Promise.all(
    sides.map(async ({ app }) => {
      const response = await app.handle(new Request(`http://localhost${path}`, { headers }));
      return { status: response.status, text: normal(await response.text()) };
    }),
  );
}

function matrix(places: Readonly<Record<string, Place>>, paths: typeof fromPost): void {
  for (const [place, request] of Object.entries(places)) {
    for (const [name, [path, value]] of Object.entries(paths)) {
      test(`${place}: ${name}`, async () => {
        const [one, other] = await answers(request(path, value));
        expect(other).toEqual(one!);
        expect(one!.status).toBeLessThan(500);
      });
    }
  }
}

describe("posts do not reveal", () => matrix(placesOf("post"), fromPost));
describe("tags do not reveal", () => matrix(placesOf("tag"), fromTag));
describe("nested queries do not reveal", () => matrix(nestedPlaces, fromTag));

const uids = ["api::vault.vault", "plugin::users-permissions.user", "plugin::users-permissions.role"];
const populates: Readonly<Record<string, string>> = {
  "a name": "/api/posts?populate=hidden,owner,secretTag",
  "a list": "/api/posts?populate[0]=hidden&populate[1]=owner",
  "a star": "/api/posts?populate=*",
  "a path": "/api/posts?populate=part.vault,tags.vaults",
  "an object": "/api/posts?populate[hidden][fields]=name&populate[owner]=true&populate[secretTag]=*",
  "a count": "/api/posts?populate[hidden][count]=true&populate[related][count]=true",
  "a relation to several types": "/api/posts?populate=related,subject",
  "all levels of several types": "/api/posts?populate[related][populate]=*",
  "a zone": "/api/posts?populate[zone][on][parts.part][populate]=*",
  "the other side": "/api/tags?populate[vaults][populate]=*&populate[mentions][populate]=*",
  "GraphQL several types": graphql(
    "{ posts { related { __typename ... on Vault { name } ... on UsersPermissionsUser { email } } } }",
  ),
  "GraphQL relations": graphql("{ posts { hidden { name } owner { email } part { vault { name } } } }"),
  ...Object.fromEntries(uids.map((uid) => [uid, `/api/posts?populate[related][on][${uid}]=true`])),
};
describe("populated attributes do not reveal", () => {
  for (const [name, path] of Object.entries(populates)) {
    test(name, async () => {
      const [one, other] = await answers(path);
      expect(other).toEqual(one!);
      expect(one!.text).not.toContain("alpha-one");
    });
  }
});

const entry = (uid: string) => ({ id: 1, __type: uid });
const inputs: Readonly<Record<string, (uid: string) => unknown>> = {
  "a list": (uid) => [entry(uid)],
  connect: (uid) => ({ connect: [entry(uid)] }),
  set: (uid) => ({ set: [entry(uid)] }),
  disconnect: (uid) => ({ disconnect: [entry(uid)] }),
  "beside a count": (uid) => ({ count: true, connect: [entry(uid)] }),
  "beside others": (uid) => ({ connect: [entry("api::tag.tag"), entry(uid)] }),
  "the place of another one": (uid) => ({
    connect: [{ ...entry("api::tag.tag"), position: { after: 2, __type: uid } }],
  }),
};
describe("refuses links to documents that the caller may not find", () => {
  for (const [form, value] of Object.entries(inputs)) {
    for (const uid of uids) {
      test(`${form}: ${uid}`, async () => {
        const { app } = sides[0]!;
        const data = { title: "new", related: value(uid) };
        const made = await app.call("POST", "/api/posts?populate=*", { data }, {});
        expect([made.status, made.body.error.message]).toEqual([400, "Invalid key related"]);
      });
    }
  }
});

test("shows the secrets to callers with all permissions", async () => {
  for (const path of ["filters[hidden][name][$startsWith]=alpha", "sort=owner.username:desc", "populate=hidden"]) {
    const [one, other] = await answers(`/api/posts?${path}`, ADMIN);
    expect(one!.status).toBe(200);
    expect(other!.text).not.toBe(one!.text);
  }
});
