/** The fields about sessions, users, roles and files. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { USER } from "../../../src/engine/schema/builtin/index.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { type App, createApp } from "../../../src/server/app.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { CONFORMANCE, projectFolder, typeFile } from "../../project.ts";
import { type Ask, asker, PUBLIC, readData, readErrors } from "./ask.ts";

let project: Project;
let app: App;
let ask: Ask;

beforeEach(async () => {
  project = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  await project.access.auth.login({ identifier: "ada", password: "Secret-123" }, { id: undefined, userAgent: null });
  app = createApp(project);
  ask = asker(app);
});
afterEach(() => project.close());

const service = (uid: string): DocumentService => new DocumentService(project.context, contentType(project.model, uid));

const FORBIDDEN = { message: "Forbidden access", extensions: { code: "FORBIDDEN" } };
const LOGIN =
  'mutation { login(input: {identifier: "ada", password: "Secret-123"}) { jwt user { username role { name } } } }';
const bearer = (jwt: string): Record<string, string> => ({ authorization: `Bearer ${jwt}` });
const loggedIn = async (): Promise<Record<string, string>> =>
  bearer((await readData(ask(LOGIN, {}, PUBLIC))).login.jwt);

describe("sessions", () => {
  test("begin with the default provider, and without the role", async () => {
    const { login } = await readData(ask(LOGIN, {}, PUBLIC));
    expect(login).toEqual({ jwt: expect.any(String), user: { username: "ada", role: null } });
  });

  test("begin with it also where the provider is empty", async () => {
    const query =
      'mutation { login(input: {identifier: "ada", password: "Secret-123", provider: ""}) { user { username } } }';
    expect(await readData(ask(query, {}, PUBLIC))).toEqual({ login: { user: { username: "ada" } } });
  });

  test("are what `me` is about, whatever the role may do", async () => {
    const query = "{ me { id username role { name type } } }";
    expect(await readData(ask(query, {}, await loggedIn()))).toEqual({
      me: { id: expect.any(String), username: "ada", role: { name: "Authenticated", type: "authenticated" } },
    });
    expect(await readErrors(ask(query, {}, PUBLIC))).toMatchObject([FORBIDDEN]);
    expect(await readErrors(ask(query, {}, bearer("conformance-read-only")))).toMatchObject([FORBIDDEN]);
    expect((await ask(query)).body).toEqual({
      errors: [
        {
          message: "Authentication requested",
          locations: [{ line: 1, column: 3 }],
          path: ["me"],
          extensions: { code: "INTERNAL_SERVER_ERROR" },
        },
      ],
      data: { me: null },
    });
  });

  test("are refused with the codes of the error table", async () => {
    const login = (input: string) => readErrors(ask(`mutation { login(input: {${input}}) { jwt } }`, {}, PUBLIC));
    expect(await login('identifier: "eve", password: "x"')).toMatchObject([
      { path: ["login"], extensions: { code: "BAD_USER_INPUT", error: { name: "ValidationError", details: {} } } },
    ]);
    expect(await login('identifier: "ada", password: "x", provider: "other"')).toMatchObject([
      { message: "This provider is disabled", extensions: { code: "STRAPI_APPLICATION_ERROR" } },
    ]);
  });
});

test("guessing passwords is limited as in REST, however many guesses one operation holds", async () => {
  const { root, remove } = projectFolder({
    ...typeFile("tag", { label: { type: "string" } }),
    "config/plugins.json": JSON.stringify({
      "users-permissions": { config: { ratelimit: { enabled: true, max: 3, interval: 60_000 } } },
    }),
  });
  const limited = openProject(root, { memory: true, publicRead: true, environment: {} });
  const guess = (index: number): string => `g${index}: login(input: {identifier: "ada", password: "${index}"}) { jwt }`;
  // each guess nulls the whole answer, so that they are sent as they would be: with errors of their own
  const outcomes = [];
  for (let index = 0; index < 5; index++) {
    const [error] = await readErrors(asker(createAppOf(limited))(`mutation { ${guess(index)} }`, {}, PUBLIC));
    outcomes.push(error.extensions.code);
  }
  expect(outcomes).toEqual([
    "BAD_USER_INPUT",
    "BAD_USER_INPUT",
    "BAD_USER_INPUT",
    "STRAPI_RATE_LIMIT_ERROR",
    "STRAPI_RATE_LIMIT_ERROR",
  ]);
  limited.close();
  remove();
});

/** Somebody from elsewhere. */
const createAppOf = (of: Project) => {
  const app = createApp(of);
  app.attachServer({ requestIP: () => ({ address: "203.0.113.7" }) });
  return app;
};

describe("users", () => {
  test("are created with status 201, changed and deleted, and answered with the selection's plan", async () => {
    const role = await service("plugin::users-permissions.role").findFirst({ filters: { type: "public" } });
    const created = await ask(
      `mutation M($data: UsersPermissionsUserInput!) {
        createUsersPermissionsUser(data: $data) { a: data { documentId } b: data { name: username role { type } } }
      }`,
      { data: { username: "linus", email: "L@example.com", password: "Secret-123", role: String(role?.id) } },
    );
    expect(created.status).toBe(201);
    expect(created.body.data.createUsersPermissionsUser).toEqual({
      a: { documentId: expect.any(String) },
      b: { name: "linus", role: { type: "public" } },
    });
    const user = await service(USER).findFirst({ filters: { username: "linus" } });
    const update = `mutation { updateUsersPermissionsUser(id: "${user?.id}", data: {blocked: true}) { data { blocked } } }`;
    expect(await readData(ask(update))).toEqual({ updateUsersPermissionsUser: { data: { blocked: true } } });
    const remove = `mutation { deleteUsersPermissionsUser(id: "${user?.id}") { data { username } } }`;
    expect(await readData(ask(remove))).toEqual({ deleteUsersPermissionsUser: { data: { username: "linus" } } });
    expect(await ask(remove)).toEqual({ status: 204, body: undefined });
  });

  test("that do not exist are not found", async () => {
    const update = 'mutation { updateUsersPermissionsUser(id: "999", data: {}) { data { username } } }';
    expect(await readErrors(ask(update))).toMatchObject([
      { message: "User not found", extensions: { code: "STRAPI_NOT_FOUND_ERROR" } },
    ]);
    expect(await readErrors(ask('mutation { deleteUsersPermissionsRole(id: "no number") { ok } }'))).toMatchObject([
      { message: "Role not found" },
    ]);
    // the id counts as data
    const empty = 'mutation { updateUsersPermissionsRole(id: "no number", data: {}) { ok } }';
    expect(await readErrors(ask(empty))).toMatchObject([{ message: "Role not found" }]);
  });
});

describe("files", () => {
  test("tell which documents and which components use them", async () => {
    const form = new FormData();
    form.append("files", new File(["text"], "used.txt"));
    const headers = { authorization: "Bearer conformance-full-access" };
    const upload = new Request("http://localhost/api/upload", { method: "POST", body: form, headers });
    const [{ id }] = (await (await app.handle(upload)).json()) as [Record<string, unknown>];
    await readData(
      ask("mutation M($data: ArticleInput!) { createArticle(data: $data) { documentId } }", {
        data: {
          title: "Uses",
          slug: "uses",
          cover: `${id}`,
          sections: [{ __typename: "ComponentSharedMedia", file: `${id}` }],
        },
      }),
    );
    const related = "{ __typename ... on Article { title } ... on ComponentSharedMedia { file { name } } }";
    const { uploadFiles } = await readData(
      ask(`{ uploadFiles(filters: {name: {eq: "used.txt"}}) { related ${related} } }`),
    );
    expect(uploadFiles[0].related).toContainEqual({ __typename: "Article", title: "Uses" });
    expect(uploadFiles[0].related).toContainEqual({ __typename: "ComponentSharedMedia", file: { name: "used.txt" } });
  });

  test("are changed and deleted by the id of their row", async () => {
    const form = new FormData();
    form.append("files", new File(["text"], "a.txt"));
    const headers = { authorization: "Bearer conformance-full-access" };
    const upload = new Request("http://localhost/api/upload", { method: "POST", body: form, headers });
    const [{ id, documentId, url }] = (await (await app.handle(upload)).json()) as [Record<string, unknown>];
    const isServed = async () => (await app.handle(new Request(`http://localhost${url}`))).ok;
    expect(await isServed()).toBe(true);
    const update = (of: unknown) =>
      ask(`mutation { updateUploadFile(id: "${of}", info: {caption: "c"}) { name caption } }`);
    expect(await readData(update(id))).toEqual({ updateUploadFile: { name: "a.txt", caption: "c" } });
    for (const other of [documentId, 99_999]) {
      expect((await update(other)).body).toMatchObject({
        errors: [{ message: "Entity not found", extensions: { code: "STRAPI_NOT_FOUND_ERROR" } }],
        data: null,
      });
    }
    const remove = (of: unknown) => readData(ask(`mutation { deleteUploadFile(id: "${of}") { documentId name } }`));
    expect(await remove(documentId)).toEqual({ deleteUploadFile: null });
    expect(await remove(id)).toEqual({ deleteUploadFile: { documentId, name: "a.txt" } });
    expect(await isServed()).toBe(false);
    expect(await remove(id)).toEqual({ deleteUploadFile: null });
  });
});
