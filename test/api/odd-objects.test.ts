/** Objects that cannot be turned into texts and numbers are refused, wherever they stand: none is answered with a 5xx. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const odd = { toString: 1, valueOf: 2 };
const values: readonly unknown[] = [odd, [odd], [[odd]], { toString: null }, { toJSON: 1 }];

const attributes = {
  title: { type: "string" },
  slug: { type: "uid" },
  text: { type: "richtext" },
  blocks: { type: "blocks" },
  mail: { type: "email" },
  secret: { type: "password" },
  kind: { type: "enumeration", enum: ["a"] },
  count: { type: "integer" },
  big: { type: "biginteger" },
  price: { type: "decimal" },
  on: { type: "boolean" },
  day: { type: "date" },
  hour: { type: "time" },
  moment: { type: "datetime" },
  meta: { type: "json" },
  files: { type: "media", multiple: true },
  part: { type: "component", component: "part.one" },
  parts: { type: "component", component: "part.one", repeatable: true },
  zone: { type: "dynamiczone", components: ["part.one"] },
  tags: relation("manyToMany", "tag"),
  about: { type: "relation", relation: "morphToOne" },
  related: { type: "relation", relation: "morphToMany" },
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ locales: [{ code: "en", isDefault: true }] }),
    ...typeFile("post", attributes, { localized: true }),
    ...typeFile("tag", { name: { type: "string" } }),
    ...componentFile("part.one", { name: { type: "string" }, size: { type: "integer" } }),
  });
  await app.call("POST", "/api/tags", { data: { name: "t" } });
});
afterAll(() => app.close());

/** Where an odd value may stand, by what is written. */
function* bodies(value: unknown): Generator<Record<string, unknown>> {
  for (const name of [...Object.keys(attributes), "id", "documentId", "locale", "createdAt"]) yield { [name]: value };
  for (const key of ["id", "name", "size", "__component"]) {
    yield { part: { [key]: value } };
    yield { parts: [{ [key]: value }] };
    yield { zone: [{ __component: "part.one", [key]: value }] };
  }
  const targets = [
    { id: value },
    { documentId: value },
    { id: 1, __type: value },
    { id: 1, __type: "api::tag.tag", locale: value },
    { id: 1, __type: "api::tag.tag", position: { before: value } },
    { id: 1, __type: "api::tag.tag", position: { after: { id: value, __type: value } } },
  ];
  for (const name of ["tags", "about", "related", "files"])
    for (const target of targets)
      for (const form of [target, [target], { connect: [target] }, { set: target }, { disconnect: [target] }])
        yield { [name]: form };
}

async function failures(method: string, path: string, list: Iterable<unknown>): Promise<string[]> {
  const found: string[] = [];
  for (const body of list) {
    const { status, body: answer } = await app.call(method, path, body);
    if (status >= 500 || /Internal Server Error/.test(JSON.stringify(answer))) found.push(JSON.stringify(body));
  }
  return found;
}

for (const value of values) {
  const name = JSON.stringify(value);
  test(`documents with ${name}`, async () => {
    const { body } = await app.call("POST", "/api/posts", { data: { parts: [{ name: "a" }] } });
    const all = [...bodies(value)].map((data) => ({ data }));
    expect(await failures("POST", "/api/posts", all)).toEqual([]);
    expect(await failures("PUT", `/api/posts/${body.data.documentId}`, all)).toEqual([]);
  });

  test(`GraphQL with ${name}`, async () => {
    const create = "mutation($d: PostInput!) { createPost(data: $d) { documentId } }";
    const list = `query($f: PostFiltersInput, $s: [String], $p: PaginationArg, $l: I18NLocaleCode) {
      posts(filters: $f, sort: $s, pagination: $p, locale: $l) { title } }`;
    const variables = [
      ...["f", "s", "p", "l"].map((key) => ({ [key]: value })),
      ...["title", "count", "meta", "moment"].map((key) => ({ f: { [key]: { eq: value } } })),
    ];
    const requests = [
      ...[...bodies(value)].map((d) => ({ query: create, variables: { d } })),
      ...variables.map((given) => ({ query: list, variables: given })),
      { query: value },
      { query: list, variables: value, operationName: value, extensions: value },
    ];
    expect(await failures("POST", "/graphql", requests)).toEqual([]);
  });

  test(`roles, users and mails with ${name}`, async () => {
    const requests = (keys: readonly string[]) => keys.map((key) => ({ name: "n", description: "d", [key]: value }));
    const ofRole = ["name", "description", "type", "permissions", "users"];
    expect(await failures("POST", "/api/users-permissions/roles", requests(ofRole))).toEqual([]);
    expect(await failures("PUT", "/api/users-permissions/roles/1", requests(ofRole))).toEqual([]);
    const ofUser = ["username", "email", "password", "role", "identifier", "code", "refreshToken"];
    for (const path of ["/api/users", "/api/auth/local", "/api/auth/local/register", "/api/auth/reset-password"])
      expect(await failures("POST", path, requests(ofUser))).toEqual([]);
    expect(await failures("POST", "/api/email", requests(["to", "subject", "text", "cc"]))).toEqual([]);
  });
}

test("query strings", async () => {
  const keys = ["sort", "fields", "populate", "locale", "_q", "pagination[page]", "filters[title][$in]", "status"];
  for (const key of keys)
    for (const end of ["[toString]=1", "[valueOf]=1&x=1", "[length]=5", "[0][toString]=1"]) {
      const response = await app.handle(new Request(`http://localhost/api/posts?${key}${end}`, { headers: ADMIN }));
      expect([key + end, response.status < 500]).toEqual([key + end, true]);
    }
});
