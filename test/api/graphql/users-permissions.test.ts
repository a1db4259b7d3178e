/**
 * The fields about sessions, users, roles and files, with and without the layers behind them. Those layers are stood in for
 * by small ones that keep what they are given in the database.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createAbility } from "../../../src/access/ability.ts";
import { GraphqlEndpoint, type GraphqlOptions } from "../../../src/api/graphql/endpoint.ts";
import type { MediaOperations } from "../../../src/api/graphql/media.ts";
import type { Me, Session, UserOperations } from "../../../src/api/graphql/users-permissions.ts";
import { readBody } from "../../../src/api/rest/body.ts";
import { errorBody } from "../../../src/api/rest/envelope.ts";
import { commonHeaders, preflightHeaders } from "../../../src/api/rest/headers.ts";
import { DocumentService } from "../../../src/documents/document-service.ts";
import { ApiError, notFound } from "../../../src/errors.ts";
import { FILE, ROLE, USER } from "../../../src/schema/builtin/index.ts";
import { contentType } from "../../../src/schema/model.ts";
import { openProject, type Project } from "../../../src/server/project.ts";
import { CONFORMANCE, FULL } from "../../project.ts";
import { type Ask, asker, dataOf, errorsOf, PUBLIC } from "./ask.ts";

let project: Project;

beforeEach(async () => {
  project = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  await project.ready;
});
afterEach(() => project.close());

const service = (uid: string): DocumentService => new DocumentService(project.context, contentType(project.model, uid));
const byId = async (uid: string, id: number): Promise<string> => {
  const found = await service(uid).findFirst({ filters: { id } });
  if (!found) throw notFound("User not found");
  return String(found.documentId);
};

const ME: Me = { id: 7, documentId: "d", username: "ada", email: "a@example.com", confirmed: true, blocked: false };
const session = async (): Promise<Session> => ({ jwt: "token", user: ME });

/** Enough of a user layer to see what the fields hand over and what they do with answers and refusals. */
const users = (): UserOperations => ({
  me: async (userId) => ({
    ...ME,
    id: userId,
    role: { id: 1, name: "Authenticated", description: null, type: "authenticated" },
  }),
  login: async ({ identifier, provider }) => {
    if (provider !== "local") throw new ApiError("ApplicationError", "This provider is disabled");
    if (identifier !== "ada") throw new ApiError("ValidationError", "Invalid identifier or password");
    return session();
  },
  register: session,
  forgotPassword: async () => {},
  resetPassword: session,
  changePassword: async (_args, { userId }) => {
    if (userId === undefined)
      throw new ApiError("ApplicationError", "You must be authenticated to reset your password");
    return session();
  },
  emailConfirmation: session,
  createUser: async (data) => Number((await service(USER).create({ data: { ...data, provider: "local" } })).id),
  updateUser: async (id, data) =>
    void (await service(USER).update({ documentId: await byId(USER, id), data: { ...data } })),
  deleteUser: async (id) => void (await service(USER).delete({ documentId: await byId(USER, id) })),
  createRole: async (data) => void (await service(ROLE).create({ data: { ...data } })),
  updateRole: async (id, data) =>
    void (await service(ROLE).update({ documentId: await byId(ROLE, id), data: { ...data } })),
  deleteRole: async (id) => {
    if (id < 0) throw notFound("Role not found");
  },
});

const media = (): MediaOperations => ({
  update: async (id, info) =>
    void (await service(FILE).update({ documentId: await byId(FILE, id), data: { ...info } })),
  delete: async (id) => void (await service(FILE).delete({ documentId: await byId(FILE, id) })),
});

function askWith(
  layers: Pick<GraphqlOptions, "users" | "media">,
  access: GraphqlOptions["access"] = project.access,
): Ask {
  const { context, settings } = project;
  const http = { readBody, headers: commonHeaders, preflightHeaders, errorBody };
  const endpoint = new GraphqlEndpoint({ context, settings, access, http, ...layers });
  return asker({ handle: (request) => endpoint.handle(request) });
}

const FORBIDDEN = { message: "Forbidden access", extensions: { code: "FORBIDDEN" } };
const LOGIN =
  'mutation { login(input: {identifier: "ada", password: "x"}) { jwt user { id username role { name } } } }';

describe("without the layer of users", () => {
  test("its fields are forbidden, and users can be read", async () => {
    const ask = askWith({});
    expect(await errorsOf(ask(LOGIN))).toMatchObject([FORBIDDEN]);
    expect(await errorsOf(ask('mutation { createUsersPermissionsRole(data: {name: "R"}) { ok } }'))).toMatchObject([
      FORBIDDEN,
    ]);
    expect(await errorsOf(ask('mutation { deleteUploadFile(id: "1") { name } }'))).toMatchObject([FORBIDDEN]);
    const { usersPermissionsUsers } = await dataOf(
      ask('{ usersPermissionsUsers(sort: "username") { username role { type users { username } } } }'),
    );
    expect(usersPermissionsUsers[0]).toEqual({
      username: "ada",
      role: { type: "authenticated", users: [{ username: "ada" }, { username: "blocked" }] },
    });
  });
});

describe("sessions", () => {
  test("are begun by anybody, with the default provider", async () => {
    const { login } = await dataOf(askWith({ users: users() })(LOGIN, {}, PUBLIC));
    expect(login).toEqual({ jwt: "token", user: { id: "7", username: "ada", role: null } });
  });

  test("are refused in the words and with the codes of the layer", async () => {
    const ask = askWith({ users: users() });
    const login = (input: string) => errorsOf(ask(`mutation { login(input: {${input}}) { jwt } }`, {}, PUBLIC));
    expect(await login('identifier: "eve", password: "x"')).toMatchObject([
      {
        message: "Invalid identifier or password",
        path: ["login"],
        extensions: { code: "BAD_USER_INPUT", error: { name: "ValidationError", details: {} } },
      },
    ]);
    expect(await login('identifier: "ada", password: "x", provider: "other"')).toMatchObject([
      {
        message: "This provider is disabled",
        extensions: { code: "STRAPI_APPLICATION_ERROR", error: { name: "ApplicationError" } },
      },
    ]);
  });

  test("a password is changed by users who may", async () => {
    const change =
      'mutation { changePassword(currentPassword: "a", password: "b", passwordConfirmation: "b") { jwt } }';
    const ask = askWith({ users: users() });
    expect(await errorsOf(ask(change, {}, PUBLIC))).toMatchObject([FORBIDDEN]);
    expect(await errorsOf(ask(change))).toMatchObject([
      { message: "You must be authenticated to reset your password" },
    ]);
    expect(await dataOf(ask('mutation { forgotPassword(email: "a") { ok } }', {}, PUBLIC))).toEqual({
      forgotPassword: { ok: true },
    });
  });
});

describe("me", () => {
  const query = "{ me { id username role { name type } } }";

  test("is for users, whatever their role may do", async () => {
    const identify = async () => createAbility("user", "user:7", () => false, 7);
    const ask = askWith({ users: users() }, Object.assign(Object.create(project.access), { identify }));
    expect(await dataOf(ask(query))).toEqual({
      me: { id: "7", username: "ada", role: { name: "Authenticated", type: "authenticated" } },
    });
  });

  test("is forbidden to the public and to tokens; one that may do everything has nobody to show", async () => {
    const ask = askWith({ users: users() });
    expect(await errorsOf(ask(query, {}, PUBLIC))).toMatchObject([FORBIDDEN]);
    expect(await errorsOf(ask(query, {}, { authorization: "Bearer conformance-read-only" }))).toMatchObject([
      FORBIDDEN,
    ]);
    expect((await ask(query, {}, FULL)).body).toEqual({
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
});

describe("users", () => {
  test("are created with status 201, changed and deleted, and answered with the selection's plan", async () => {
    const ask = askWith({ users: users() });
    const created = await ask(
      'mutation { createUsersPermissionsUser(data: {username: "linus", email: "l@example.com"}) { a: data { documentId } b: data { name: username role { name } } } }',
    );
    expect(created).toMatchObject({
      status: 201,
      body: {
        data: {
          createUsersPermissionsUser: { a: { documentId: expect.any(String) }, b: { name: "linus", role: null } },
        },
      },
    });
    const user = await service(USER).findFirst({ filters: { username: "linus" } });
    const updated = await ask(
      `mutation { updateUsersPermissionsUser(id: "${user?.id}", data: {blocked: true}) { data { blocked } } }`,
    );
    expect(updated).toMatchObject({
      status: 200,
      body: { data: { updateUsersPermissionsUser: { data: { blocked: true } } } },
    });
    const remove = `mutation { deleteUsersPermissionsUser(id: "${user?.id}") { data { username } } }`;
    expect(await ask(remove)).toMatchObject({
      status: 200,
      body: { data: { deleteUsersPermissionsUser: { data: { username: "linus" } } } },
    });
    expect(await ask(remove)).toEqual({ status: 204, body: undefined });
    expect(
      await errorsOf(ask('mutation { updateUsersPermissionsUser(id: "999", data: {}) { data { username } } }')),
    ).toMatchObject([{ message: "User not found", extensions: { code: "STRAPI_NOT_FOUND_ERROR" } }]);
  });

  test("roles are created, changed and deleted by those who may", async () => {
    const ask = askWith({ users: users() });
    expect(await dataOf(ask('mutation { createUsersPermissionsRole(data: {name: "Editor"}) { ok } }'))).toEqual({
      createUsersPermissionsRole: { ok: true },
    });
    expect(await errorsOf(ask('mutation { deleteUsersPermissionsRole(id: "no number") { ok } }'))).toMatchObject([
      { message: "Role not found" },
    ]);
    expect(
      await errorsOf(ask('mutation { createUsersPermissionsRole(data: {name: "X"}) { ok } }', {}, PUBLIC)),
    ).toMatchObject([FORBIDDEN]);
  });
});

describe("files", () => {
  const file = { name: "a.png", hash: "a", mime: "image/png", size: 1, url: "/uploads/a.png", provider: "local" };

  test("are changed and deleted by the id of their row", async () => {
    const ask = askWith({ media: media() });
    const { id, documentId } = await service(FILE).create({ data: { ...file } });
    const update = (of: unknown) =>
      ask(`mutation { updateUploadFile(id: "${of}", info: {caption: "c"}) { name caption } }`);
    expect(await dataOf(update(id))).toEqual({ updateUploadFile: { name: "a.png", caption: "c" } });
    for (const other of [documentId, 99_999]) {
      expect((await update(other)).body).toMatchObject({
        errors: [{ message: "Entity not found", extensions: { code: "STRAPI_NOT_FOUND_ERROR" } }],
        data: null,
      });
    }
    const remove = (of: unknown) => dataOf(ask(`mutation { deleteUploadFile(id: "${of}") { documentId name } }`));
    expect(await remove(documentId)).toEqual({ deleteUploadFile: null });
    expect(await remove(id)).toEqual({ deleteUploadFile: { documentId, name: "a.png" } });
    expect(await remove(id)).toEqual({ deleteUploadFile: null });
  });
});
