/** Who may ask for what: per root field and per relation field, each refusal where it belongs. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { relation, type TestApp, testApp, typeFile } from "../../project.ts";
import { type Ask, asker, PUBLIC, readData, readErrors } from "./ask.ts";

const key = (name: string): Record<string, string> => ({ authorization: `Bearer test-${name}` });
const FULL = key("full");
const READ = key("read");
const WRITER = key("writer");

let app: TestApp;
let ask: Ask;
let tag: string;

beforeAll(async () => {
  app = await testApp({
    ...typeFile("tag", { label: { type: "string" } }),
    ...typeFile("secret", { label: { type: "string" } }),
    ...typeFile("note", {
      text: { type: "string", required: true },
      tags: relation("manyToMany", "tag"),
      secret: relation("manyToOne", "secret"),
      secrets: relation("oneToMany", "secret"),
    }),
    ...typeFile("setting", { name: { type: "string" } }, { kind: "singleType" }),
    "config/galley.json": JSON.stringify({
      roles: { public: ["api::note.note.find", "api::note.note.findOne", "api::tag.tag.find"] },
      tokens: [
        { name: "full", type: "full-access", key: "test-full" },
        { name: "read", type: "read-only", key: "test-read" },
        {
          name: "writer",
          type: "custom",
          key: "test-writer",
          permissions: [
            ...["api::note.note.create", "api::note.note.find", "api::tag.tag.find"],
            ...["plugin::i18n.locales.listLocales", "plugin::users-permissions.user.me"],
          ],
        },
      ],
    }),
  });
  ask = asker(app);
  const { t, s } = await readData(
    ask(
      'mutation { t: createTag(data: {label: "t"}) { documentId } s: createSecret(data: {label: "s"}) { documentId } }',
      {},
      FULL,
    ),
  );
  tag = t.documentId;
  const data = { text: "one", tags: [tag], secret: s.documentId };
  await readData(ask("mutation M($data: NoteInput!) { createNote(data: $data) { text } }", { data }, FULL));
  await readData(ask('mutation { createNote(data: {text: "two"}) { text } }', {}, FULL));
});
afterAll(() => app.close());

const forbidden = (...path: (string | number)[]) => ({
  message: "Forbidden access",
  path,
  extensions: { code: "FORBIDDEN", error: { name: "ForbiddenError", message: "Forbidden access", details: {} } },
});

interface Case {
  readonly query: string;
  readonly as?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const LOCALES = "{ i18NLocales { code } i18NLocales_connection { nodes { code } } }";

const cases: Readonly<Record<string, Case>> = {
  "locales are listed with the permission, but not as a connection": {
    query: LOCALES,
    as: WRITER,
    body: {
      errors: [forbidden("i18NLocales_connection")],
      data: { i18NLocales: [{ code: "en" }], i18NLocales_connection: null },
    },
  },
  "tokens for reading get the connection of locales": {
    query: "{ i18NLocales_connection { nodes { code } } }",
    as: READ,
    body: { data: { i18NLocales_connection: { nodes: [{ code: "en" }] } } },
  },
  "`me` is refused without a user, whatever the permissions": {
    query: "{ me { username } }",
    as: WRITER,
    body: { errors: [forbidden("me")], data: { me: null } },
  },
  "a list that is forbidden nulls the whole answer": {
    query: "{ secrets { label } }",
    body: { errors: [forbidden("secrets")], data: null },
  },
  "a connection and a document null themselves": {
    query:
      '{ notes { text } secrets_connection { pageInfo { total } } secret(documentId: "x") { label } setting { name } }',
    body: {
      errors: [forbidden("secrets_connection"), forbidden("secret"), forbidden("setting")],
      data: { notes: [{ text: "one" }, { text: "two" }], secrets_connection: null, secret: null, setting: null },
    },
  },
  "a relation that is forbidden is so for every row, whether it has a target or not": {
    query: "{ notes { text secret { label } tags { label } } }",
    body: {
      errors: [forbidden("notes", 0, "secret"), forbidden("notes", 1, "secret")],
      data: {
        notes: [
          { text: "one", secret: null, tags: [{ label: "t" }] },
          { text: "two", secret: null, tags: [] },
        ],
      },
    },
  },
  "a list of a relation that is forbidden nulls its row, its connection only itself": {
    query: "{ a: notes { secrets { label } } b: notes { text secrets_connection { nodes { label } } } }",
    body: {
      errors: [
        forbidden("a", 0, "secrets"),
        forbidden("a", 1, "secrets"),
        forbidden("b", 0, "secrets_connection"),
        forbidden("b", 1, "secrets_connection"),
      ],
      data: {
        a: [null, null],
        b: [
          { text: "one", secrets_connection: null },
          { text: "two", secrets_connection: null },
        ],
      },
    },
  },
  "what is forbidden is not looked at any further": {
    query: '{ notes { text secret { label } } secrets_connection(sort: "nope") { nodes { label } } }',
    body: {
      errors: [forbidden("notes", 0, "secret"), forbidden("notes", 1, "secret"), forbidden("secrets_connection")],
      data: {
        notes: [
          { text: "one", secret: null },
          { text: "two", secret: null },
        ],
        secrets_connection: null,
      },
    },
  },
  "a read-only token reads everything": {
    query:
      '{ notes(pagination: {limit: 1}) { secret { label } } setting { name } usersPermissionsRoles(sort: "type", pagination: {limit: 1}) { type } }',
    as: READ,
    body: {
      data: { notes: [{ secret: { label: "s" } }], setting: null, usersPermissionsRoles: [{ type: "authenticated" }] },
    },
  },
  "and writes nothing": {
    query: 'mutation { createTag(data: {label: "x"}) { label } }',
    as: READ,
    body: { errors: [forbidden("createTag")], data: { createTag: null } },
  },
  "a token may create without reading one document": {
    query: `mutation { createNote(data: {text: "three"}) { text } updateNote(documentId: "x", data: {}) { text } }`,
    as: WRITER,
    body: { errors: [forbidden("updateNote")], data: { createNote: { text: "three" }, updateNote: null } },
  },
  "the name of the type is open to all": { query: "{ __typename }", body: { data: { __typename: "Query" } } },
};

describe("permissions", () => {
  for (const [name, { query, as = PUBLIC, body }] of Object.entries(cases)) {
    test(name, async () => {
      const asked = await ask(query, {}, as);
      expect(asked).toEqual({ status: 200, body } as typeof asked);
    });
  }

  test("a mutation is carried out before a forbidden field of its answer is found", async () => {
    const { body } = await ask('mutation { createNote(data: {text: "kept"}) { text secrets { label } } }', {}, WRITER);
    expect(body).toEqual({ errors: [forbidden("createNote", "secrets")], data: { createNote: null } });
    const { notes } = await readData(ask('{ notes(filters: {text: {eq: "kept"}}) { text } }', {}, FULL));
    expect(notes).toEqual([{ text: "kept" }]);
  });

  test("relations that the caller may not find are left out of the data without a word", async () => {
    const secrets = await readData(ask("{ secrets { documentId } }", {}, FULL));
    const data = { text: "quiet", tags: [tag], secret: secrets.secrets[0].documentId };
    await readData(ask("mutation M($data: NoteInput!) { createNote(data: $data) { text } }", { data }, WRITER));
    const { notes } = await readData(
      ask('{ notes(filters: {text: {eq: "quiet"}}) { tags { label } secret { label } } }', {}, FULL),
    );
    expect(notes).toEqual([{ tags: [{ label: "t" }], secret: null }]);
  });

  test("filters and sorts do not look through relations that are forbidden", async () => {
    const [filter] = await readErrors(ask('{ notes(filters: {secret: {label: {eq: "s"}}}) { text } }', {}, PUBLIC));
    expect(filter.extensions.error.details).toEqual({
      key: "secret",
      path: "secret",
      source: "query",
      param: "filters",
    });
    for (const nothing of ["{secret: {}}", "{secret: null}", "{or: [{not: {secret: {label: {in: []}}}}]}"]) {
      const [error] = await readErrors(ask(`{ notes(filters: ${nothing}) { text } }`, {}, PUBLIC));
      expect(error.message).toBe("Invalid key secret");
    }
    const [sort] = await readErrors(ask('{ notes(sort: "secret.label") { text } }', {}, PUBLIC));
    expect(sort.extensions.error.details).toEqual({ key: "secret", path: "secret", source: "query", param: "sort" });
  });

  test("credentials that are none are refused before anything else", async () => {
    const asked = await ask("{ nonsense", {}, key("nobody"));
    expect(asked.status).toBe(401);
    expect(asked.body).toMatchObject({ data: null, error: { status: 401, name: "UnauthorizedError" } });
  });

  test("every refused root field is told of, those that must not be null last", async () => {
    const query =
      '{ secrets { label } a: secret(documentId: "x") { label } b: secrets_connection { nodes { label } } }';
    const { body } = await ask(query, {}, PUBLIC);
    expect(body).toEqual({ errors: [forbidden("a"), forbidden("b"), forbidden("secrets")], data: null });
  });
});
