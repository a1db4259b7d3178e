/** Bodies, queries and sessions of users-permissions that are easily got wrong. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN, type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../../project.ts";

const PLUGIN = "plugin::users-permissions";
const auth = (...names: string[]) => names.map((name) => `${PLUGIN}.auth.${name}`);
const files = (settings: object) =>
  configFile({
    users: [
      { username: "ada", email: "ada@example.com", password: "ada-password" },
      { username: "eve", email: "eve@example.com", password: "eve-password" },
    ],
    roles: {
      public: auth("callback", "register", "forgotPassword", "resetPassword", "refresh", "connect"),
      authenticated: [`${PLUGIN}.user.me`, ...auth("changePassword", "logout", "getSessions")],
    },
    ...settings,
  });

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files({}));
});
afterAll(() => app.close());

const raw = async (path: string, body?: string | FormData, type?: string): Promise<{ status: number; body: Body }> => {
  const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
  const init = body === undefined ? { method: "POST", headers } : { method: "POST", headers, body };
  const response = await app.handle(new Request(`http://localhost/api${path}`, init));
  return { status: response.status, body: await response.json() };
};
const messageOf = ({ status, body }: { status: number; body: Body }) => [status, body.error?.message];

describe("a body that is missing is an empty one", () => {
  const cases: readonly [string, string][] = [
    ["/auth/local", "2 errors occurred"],
    ["/auth/local/register", "3 errors occurred"],
    ["/auth/forgot-password", "email is a required field"],
    ["/auth/reset-password", "3 errors occurred"],
  ];
  for (const [path, message] of cases) {
    test(`${path}: ${message}`, async () => {
      expect(messageOf(await raw(path))).toEqual([400, message]);
      expect(messageOf(await raw(path, "", "application/json"))).toEqual([400, message]);
      expect(messageOf(await raw(path, "x", "application/xml"))).toEqual([400, message]);
    });
  }
});

describe("registering", () => {
  test("with the fields of a form", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ username: "fay", email: "fay@example.com", password: "fay-password" }))
      form.set(name, value);
    const { status, body } = await raw("/auth/local/register", form);
    expect([status, body.user.username]).toEqual([200, "fay"]);
  });

  const lists: readonly [string, string, string][] = [
    ["a list", '[{"username":"x"},{}]', "application/json"],
    ["a text", "ab", "text/plain"],
  ];
  for (const [name, body, type] of lists)
    test(`with ${name} is refused by its positions`, async () => {
      expect(messageOf(await raw("/auth/local/register", body, type))).toEqual([400, "Invalid parameters: 0, 1"]);
    });

  test("with an empty list lacks everything", async () => {
    expect(messageOf(await raw("/auth/local/register", "[]", "application/json"))).toEqual([400, "3 errors occurred"]);
  });
});

test("providers are disabled, with an empty name too", async () => {
  for (const path of ["/api/connect/github", "/api/connect/github/callback", "/api/connect/"])
    expect(messageOf(await app.call("GET", path, undefined, {}))).toEqual([400, "This provider is disabled"]);
  expect((await app.call("GET", "/api/connect", undefined, {})).status).toBe(404);
});

describe("users", () => {
  const cases: readonly [string, number, unknown][] = [
    ["/api/users/1?filters[username]=ada&fields=username", 200, "ada"],
    ["/api/users/1?filters[username]=eve", 204, undefined],
    ["/api/users/1?_q=eve", 204, undefined],
    ["/api/users/1?filters[nope]=1", 400, "Invalid key nope"],
    ["/api/users/1?start=1", 204, undefined],
    ["/api/users/1?limit=0", 200, "ada"],
    ["/api/users/1?start=x", 400, "convertStartQueryParams expected a positive integer got NaN"],
    ["/api/users/count?limit=x", 400, "convertLimitQueryParams expected a positive integer got NaN"],
    ["/api/users/1?start=x&sort=nope", 400, "Invalid key nope"],
    ["/api/users?start=1&sort=id", 200, "eve"],
    ["/api/users?limit=-1&sort=id", 200, "ada"],
    ["/api/users?start=-1", 400, "convertStartQueryParams expected a positive integer got -1"],
    ["/api/users?limit=-2", 400, "convertLimitQueryParams expected a positive integer got -2"],
  ];
  for (const [path, status, told] of cases)
    test(`${path}: ${status}`, async () => {
      const answer = await app.call("GET", path);
      expect(answer.status).toBe(status);
      const [first] = [answer.body].flat();
      expect(first?.error?.message ?? first?.username).toBe(told as string);
    });

  for (const role of ["", 0])
    test(`made with the role ${JSON.stringify(role)} get the default one`, async () => {
      const name = `new${role}`;
      const body = { username: name, email: `${name}@example.com`, password: "password", role };
      const { status, body: user } = await app.call("POST", "/api/users", body);
      expect([status, user.role?.type]).toEqual([201, "authenticated"]);
      expect((await app.call("DELETE", `/api/users/${user.id}`)).status).toBe(200);
    });

  test("without a role are nobody", async () => {
    const users = app.documents(`${PLUGIN}.user`);
    await users.create({
      data: { username: "roleless", email: "r@example.com", password: "password", provider: "local" },
    });
    const { body } = await app.call("POST", "/api/auth/local", { identifier: "roleless", password: "password" }, {});
    const me = await app.call("GET", "/api/users/me", undefined, { authorization: `Bearer ${body.jwt}` });
    expect(messageOf(me)).toEqual([401, "Missing or invalid credentials"]);
  });
});

describe("roles", () => {
  const create = async (role: object): Promise<Body> => {
    expect((await app.call("POST", "/api/users-permissions/roles", role)).status).toBe(200);
    const { body } = await app.call("GET", "/api/users-permissions/roles");
    const { body: found } = await app.call("GET", `/api/users-permissions/roles/${body.roles.at(-1).id}`);
    return found.role;
  };
  const types: readonly [string, string][] = [
    ["Éditeur en chef", "editeur_en_chef"],
    ["camelCaseName HTML5x", "camelcasename_html_5_x"],
    ["Editor's  choice—2nd/part", "editors_choice_2nd_part"],
    ["Größe Øre Łódź", "grosse_ore_lodz"],
    ["Редактор 1", "редактор_1"],
    ["a_b-c.d", "a_b_c_d"],
  ];
  for (const [name, type] of types)
    test(`${name} has the type ${type}`, async () => {
      expect(await create({ name })).toMatchObject({ name, type, description: null });
    });

  test("keep what is switched on, also before there is such an action", async () => {
    const { permissions } = await create({
      name: "x",
      permissions: { "api::later": { controllers: { later: { find: { enabled: "yes" }, create: { enabled: 0 } } } } },
    });
    expect(permissions["api::later"].controllers).toEqual({ later: { find: { enabled: true, policy: "" } } });
  });

  test("keep actions whose names are those of Object.prototype, and change it by none", async () => {
    const controllers = { c: { d: { enabled: true } } };
    const permissions = { "api::x.__proto__.leaked": { controllers }, constructor: { controllers } };
    const found = await create({ name: "x", permissions });
    expect(found.permissions.constructor).toEqual({ controllers: { c: { d: { enabled: true, policy: "" } } } });
    expect(({} as Body).leaked).toBeUndefined();
  });

  test("lose a text that becomes null", async () => {
    const { id } = await create({ name: "named", description: "told" });
    await app.call("PUT", `/api/users-permissions/roles/${id}`, { description: null });
    const { body } = await app.call("GET", `/api/users-permissions/roles/${id}`);
    expect(body.role).toMatchObject({ name: "named", description: null });
  });

  for (const permissions of [{ "api::x": null }, { "api::x": { controllers: { x: { find: null } } } }])
    test(`refuse ${JSON.stringify(permissions)}`, async () => {
      expect((await app.call("POST", "/api/users-permissions/roles", { name: "x", permissions })).status).toBe(400);
    });
});

describe("sessions", () => {
  let refreshing: TestApp;
  beforeAll(async () => {
    refreshing = await testApp(files({ auth: { jwtManagement: "refresh" } }));
  });
  afterAll(() => refreshing.close());

  const login = async (identifier: string, more: object = {}): Promise<{ jwt: string; refreshToken: string }> => {
    const password = `${identifier}-password`;
    return (await refreshing.call("POST", "/api/auth/local", { identifier, password, ...more }, {})).body;
  };
  const bearer = ({ jwt }: { jwt: string }) => ({ authorization: `Bearer ${jwt}` });
  const refresh = (refreshToken: unknown, headers: Record<string, string> = {}) =>
    refreshing.call("POST", "/api/auth/refresh", { refreshToken }, headers);
  const logout = (who: { jwt: string }, body: object, headers: Record<string, string> = {}) =>
    refreshing.call("POST", "/api/auth/logout", body, { ...bearer(who), ...headers });

  test("a log-out with a token that is none ends the current session", async () => {
    const ada = await login("ada");
    await logout(ada, { refreshToken: "nonsense" });
    expect((await refresh(ada.refreshToken)).status).toBe(401);
  });

  test("a log-out with somebody else's token ends nothing", async () => {
    const [ada, eve] = [await login("ada"), await login("eve")];
    await logout(ada, { refreshToken: eve.refreshToken });
    expect((await refresh(ada.refreshToken)).status).toBe(200);
    expect((await refresh(eve.refreshToken)).status).toBe(200);
  });

  test("a log-out with one's other session's token ends that one", async () => {
    const [here, there] = [await login("ada"), await login("ada")];
    await logout(here, { refreshToken: there.refreshToken });
    expect((await refresh(there.refreshToken)).status).toBe(401);
    expect((await refresh(here.refreshToken)).status).toBe(200);
  });

  test("a log-in sets a cookie of the browser's session, and a registration has the refresh token in its body", async () => {
    const send = (path: string, body: object) => {
      const headers = { "content-type": "application/json", "x-strapi-refresh-cookie": "httpOnly" };
      return refreshing.handle(
        new Request(`http://localhost/api${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
      );
    };
    const loggedIn = await send("/auth/local", { identifier: "ada", password: "ada-password" });
    expect(loggedIn.headers.get("set-cookie")).toMatch(/^strapi_up_refresh=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(Object.keys((await loggedIn.json()) as object)).toEqual(["jwt", "user"]);
    const someone = { username: "new", email: "new@example.com", password: "new-password" };
    const registered = await send("/auth/local/register", someone);
    expect(registered.headers.get("set-cookie")).toBeNull();
    expect(Object.keys((await registered.json()) as object)).toEqual(["jwt", "refreshToken", "user"]);
  });

  test("a log-out takes the cookie away where the token is in one", async () => {
    const ada = await login("ada");
    const headers = { ...bearer(ada), "x-strapi-refresh-cookie": "httpOnly" };
    const request = new Request("http://localhost/api/auth/logout", { method: "POST", headers });
    expect((await refreshing.handle(request)).headers.get("set-cookie")).toContain(
      "strapi_up_refresh=; Path=/; Max-Age=0",
    );
  });

  test("the cookie goes before the body", async () => {
    const ada = await login("ada");
    expect((await refresh(ada.refreshToken, { cookie: "strapi_up_refresh=bad" })).status).toBe(401);
    expect((await refresh("bad", { cookie: `strapi_up_refresh=${ada.refreshToken}` })).status).toBe(200);
  });

  test("a device without a name is none", async () => {
    const eve = await login("eve", { deviceId: "" });
    const { body } = await refreshing.call("GET", "/api/auth/sessions", undefined, bearer(eve));
    expect(body.data[0]).toMatchObject({ deviceId: null, current: true });
  });

  test("blocking refuses what a session gives out, and unblocking gives it back", async () => {
    const eve = await login("eve");
    const { body: users } = await refreshing.call("GET", "/api/users?filters[username]=eve", undefined, ADMIN);
    const block = (blocked: boolean) => refreshing.call("PUT", `/api/users/${users[0].id}`, { blocked }, ADMIN);
    await block(true);
    const { status, body } = await refresh(eve.refreshToken);
    const me = () => refreshing.call("GET", "/api/users/me", undefined, bearer(body));
    expect([status, (await me()).status]).toEqual([200, 401]);
    await block(false);
    expect((await me()).status).toBe(200);
  });

  test("a token of a user who was removed is not a token", async () => {
    const gone = { username: "gone", email: "gone@example.com", password: "gone-password", role: 1 };
    const { body: user } = await refreshing.call("POST", "/api/users", gone, ADMIN);
    const session = await login("gone");
    await refreshing.call("DELETE", `/api/users/${user.id}`, undefined, ADMIN);
    const me = await refreshing.call("GET", "/api/users/me", undefined, bearer(session));
    expect(messageOf(me)).toEqual([401, "Missing or invalid credentials"]);
    expect((await refresh(session.refreshToken)).status).toBe(401);
  });

  test("that a new password began tell no time of a log-in", async () => {
    const ada = await login("ada");
    const change = {
      currentPassword: "ada-password",
      password: "ada-password-2",
      passwordConfirmation: "ada-password-2",
    };
    const { body } = await refreshing.call("POST", "/api/auth/change-password", change, bearer(ada));
    const { body: list } = await refreshing.call("GET", "/api/auth/sessions", undefined, bearer(body));
    expect(list.data).toHaveLength(1);
    expect(Object.keys(list.data[0])).toEqual(["id", "deviceId", "current", "lastActiveAt"]);
  });
});

test("a rate limit that is switched on counts everybody, and is in the headers of every answer", async () => {
  const plugins = { "users-permissions": { config: { ratelimit: { enabled: true, interval: { min: 2 }, max: 2 } } } };
  const limited = await testApp({ ...files({}), "config/plugins.json": JSON.stringify(plugins) });
  const login = async (password: string) => {
    const { status, headers } = await limited.handle(
      new Request("http://localhost/api/auth/local", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ identifier: "ada", password }),
      }),
    );
    const seconds = Number(headers.get("x-ratelimit-reset")) - Date.now() / 1000;
    expect(seconds).toBeWithin(1, 122);
    return [status, headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
  };
  expect(await login("wrong")).toEqual([400, "2", "1"]);
  expect(await login("ada-password")).toEqual([200, "2", "0"]);
  expect(await login("ada-password")).toEqual([429, "2", "0"]);
  await limited.close();
});

describe.each([
  ["without code", {}],
  ["with a service of code", serviceFile("note")],
  [
    "with a middleware of documents",
    {
      "src/index.js": "module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };",
    },
  ],
])("the users of a role, %s,", (_, code) => {
  let own: TestApp;
  const read = async (path: string): Promise<Body> => (await own.call("GET", path)).body;
  beforeAll(async () => {
    const owner = { type: "relation", relation: "oneToOne", target: `${PLUGIN}.user` };
    own = await testApp({ ...files({}), ...typeFile("note", { title: { type: "string" }, owner }), ...code });
    const [ada] = await read("/api/users?filters[username]=ada");
    await own.call("POST", "/api/notes", { data: { title: "one", owner: ada.id } });
  });
  afterAll(() => own.close());

  const levels = ["[users][fields]=username", "=*", "=users"];

  test("are not populated, through whatever type", async () => {
    for (const level of levels) {
      const [user] = await read(`/api/users?populate[role][populate]${level}`);
      expect(user.role.type).toBe("authenticated");
      expect(user.role).not.toHaveProperty("users");
      const { data } = await read(`/api/notes?populate[owner][populate][role][populate]${level}`);
      expect(data[0].owner.role.type).toBe("authenticated");
      expect(data[0].owner.role).not.toHaveProperty("users");
    }
  });

  test("may be filtered and sorted by", async () => {
    const users = await read("/api/users?filters[role][users][username]=eve&sort=username");
    expect(users.map(({ username }: Body) => username)).toEqual(["ada", "eve"]);
    expect(await read("/api/users?filters[role][users][username]=nobody")).toEqual([]);
    expect(await read("/api/users?sort=role.users.username")).toHaveLength(2);
    const [user] = await read("/api/users?populate[role][filters][users][username]=nobody");
    expect(user.role).toBeNull();
    const { data } = await read("/api/notes?filters[owner][role][users][username]=eve");
    expect(data).toHaveLength(1);
  });

  test("are returned by GraphQL", async () => {
    const query = '{ usersPermissionsRoles(filters: { type: { eq: "authenticated" } }) { users { username } } }';
    const { data } = (await own.call("POST", "/graphql", { query })).body;
    expect(data.usersPermissionsRoles[0].users).toHaveLength(2);
  });
});
