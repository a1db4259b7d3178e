/** Who is served by what: every route that is there, asked by every kind of caller, against a table. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type App, createApp } from "../../../src/server/app.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { type Body, configFile, projectFolder, typeFile } from "../../project.ts";
import { atFirst, type Decision, type Mode, open, type Row, tables } from "./decisions.ts";
import { HS256, now, SECRET, signed } from "./signed.ts";

const FULL = "full-access-key";
const PRESENT = { exp: now() + 1000 };

class Opened {
  readonly #project: Project;
  readonly #remove: () => void;
  readonly app: App;
  readonly #mode: Mode;

  constructor(settings: object, mode: Mode = "legacy-support") {
    const types = {
      ...typeFile("note", { title: { type: "string" } }),
      ...typeFile("site", { title: { type: "string" } }, { kind: "singleType" }),
    };
    const auth = { jwtManagement: mode, emailConfirmation: mode === "refresh" };
    const { root, remove } = projectFolder({ ...configFile({ auth, ...settings }), ...types });
    mkdirSync(join(root, "public/uploads"), { recursive: true });
    writeFileSync(join(root, "public/uploads/note.txt"), "a note");
    this.#remove = remove;
    this.#mode = mode;
    this.#project = openProject(root, { memory: true, publicRead: false, environment: { JWT_SECRET: SECRET } });
    this.app = createApp(this.#project);
  }

  /** `token` undefined: an anonymous request. */
  async ask(method: string, path: string, token: string | undefined, body?: unknown): Promise<Response> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    return this.app.handle(new Request(`http://localhost${path}`, init));
  }

  async json(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await this.ask(method, path, FULL, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async decision(route: string, token: string | undefined): Promise<string> {
    const [method = "", path = ""] = route.split(" ");
    const address = path.replace(":provider", "github").replace("*", "github").replace(/:\w+/, "999");
    const body = method === "POST" || method === "PUT" ? {} : undefined;
    const response = await this.ask(method, `/api${address}`, token, body);
    const refused = response.status === 401 || response.status === 403;
    return refused ? `${response.status} ${((await response.json()) as Body).error.message}` : `${response.status}`;
  }

  /** What a log-in would give a user, as far as an access check can tell. */
  userToken(id: number, claims: object = PRESENT, ...signing: [key?: string, hash?: string]): string {
    const own = this.#mode === "refresh" ? { userId: String(id), sessionId: "x", type: "access" } : { id };
    return signed(HS256, { ...own, ...claims }, ...signing);
  }

  /** By name. */
  async userIds(): Promise<ReadonlyMap<string, number>> {
    const users: Body[] = await this.json("GET", "/api/users?fields=username");
    return new Map(users.map(({ username, id }) => [username, id]));
  }

  async permitPublic(actions: readonly string[]): Promise<void> {
    const permissions: Record<string, { controllers: Record<string, Record<string, { enabled: true }>> }> = {};
    for (const name of actions) {
      const [place = "", controller = "", action = ""] = name.split(".");
      permissions[place] ??= { controllers: {} };
      permissions[place].controllers[controller] ??= {};
      permissions[place].controllers[controller][action] = { enabled: true };
    }
    const { roles } = await this.json("GET", "/api/users-permissions/roles");
    const { id } = roles.find(({ type }: Body) => type === "public");
    await this.json("PUT", `/api/users-permissions/roles/${id}`, { permissions });
  }

  async close(): Promise<void> {
    await this.#project.close();
    this.#remove();
  }
}

const full = { name: "full", type: "full-access", key: FULL };
const actionsOf = (mode: Mode): string[] =>
  [...new Set(Object.values(tables[mode]).map(({ action }) => action))].sort();
const FORBIDDEN: Decision = "403 Forbidden";
const NO_CREDENTIALS: Decision = "401 Missing or invalid credentials";
const INVALID: Decision = "401 Invalid credentials";

/** For each action a role, a user and a token that may do nothing else, and the same that may do everything else. */
function settingsFor(mode: Mode): object {
  const all = actionsOf(mode);
  const sets = all.flatMap((action, index) => [
    [`only-${index}`, [action]] as const,
    [`not-${index}`, all.filter((other) => other !== action)] as const,
  ]);
  const person = (username: string, more: object) => ({ username, email: `${username}@example.com`, ...more });
  return {
    roles: { public: all, everything: all, ...Object.fromEntries(sets) },
    users: [
      ...sets.map(([role]) => person(role, { role })),
      person("blocked", { role: "everything", blocked: true }),
      person("unconfirmed", { role: "everything", confirmed: false }),
      person("removed", { role: "everything" }),
      person("good", { role: "everything" }),
    ],
    tokens: [
      full,
      { name: "read", type: "read-only", key: "read-only-key" },
      { name: "old", type: "full-access", key: "expired-key", expiresAt: "2020-01-01T00:00:00.000Z" },
      {
        name: "old custom",
        type: "custom",
        key: "expired-custom-key",
        permissions: all,
        expiresAt: "2020-01-01T00:00:00.000Z",
      },
      ...sets.map(([name, permissions]) => ({ name, type: "custom", key: `${name}-key`, permissions })),
    ],
  };
}

for (const mode of ["legacy-support", "refresh"] as const) {
  const confirmation = mode === "refresh" ? "required" : "not required";
  describe(`with ${mode} tokens, confirmation ${confirmation}`, () => {
    const table = tables[mode];
    const all = actionsOf(mode);
    let opened: Opened;
    /** Nobody is let in with these, on no route. */
    let bad: Readonly<Record<string, readonly [token: string, Decision]>>;
    let ids: ReadonlyMap<string, number>;
    const idOf = (name: string): number => ids.get(name) ?? Number.NaN;

    beforeAll(async () => {
      opened = new Opened(settingsFor(mode), mode);
      ids = await opened.userIds();
      await opened.json("DELETE", `/api/users/${idOf("removed")}`);
      const good = idOf("good");
      const otherMode = mode === "refresh" ? { id: good } : { userId: String(good), sessionId: "x", type: "access" };
      bad = {
        "a blocked user": [opened.userToken(idOf("blocked")), INVALID],
        "a removed user": [opened.userToken(idOf("removed")), mode === "refresh" ? NO_CREDENTIALS : INVALID],
        "a forged JWT": [opened.userToken(good, PRESENT, "another secret"), NO_CREDENTIALS],
        "an expired JWT": [opened.userToken(good, { exp: now() - 1 }), NO_CREDENTIALS],
        "a JWT of the other kind": [signed(HS256, { ...otherMode, ...PRESENT }), NO_CREDENTIALS],
        "a refresh token": [
          signed(HS256, { userId: String(good), sessionId: "x", type: "refresh", ...PRESENT }),
          NO_CREDENTIALS,
        ],
        "an expired full-access token": ["expired-key", "401 Token expired"],
        "an expired custom token": ["expired-custom-key", "401 Token expired"],
        "an unknown token": ["unknown-key", NO_CREDENTIALS],
        ...(mode === "refresh" ? { "an unconfirmed user": [opened.userToken(idOf("unconfirmed")), INVALID] } : {}),
      };
    });
    afterAll(() => opened.close());

    test("the table names every route, and no other", () => {
      // those for any method are no actions, and the feed lists what others permit: `query/secrets/change-feed.test.ts`
      const routes = opened.app.routes
        .filter(({ method, path }) => method !== "ALL" && path !== "/galley/changes")
        .map(({ method, path }) => `${method} ${path.replace(/^\/api/, "")}`);
      expect([...routes].sort()).toEqual(Object.keys(table).sort());
    });

    test("the table names every action that can be permitted, and no other", async () => {
      const { permissions } = await opened.json("GET", "/api/users-permissions/permissions");
      const names = Object.entries(permissions).flatMap(([place, { controllers }]: [string, Body]) =>
        Object.entries(controllers).flatMap(([controller, actions]) =>
          Object.keys(actions as object).map((action) => `${place}.${controller}.${action}`),
        ),
      );
      expect(names.sort()).toEqual(all);
    });

    const expectedOf = ({ served, readOnly, withoutUser = served }: Row): Record<string, string> => ({
      "anonymous, who may nothing else": withoutUser,
      "anonymous, who may everything else": FORBIDDEN,
      "a user, who may nothing else": served,
      "a user, who may everything else": FORBIDDEN,
      "a custom token, which may nothing else": withoutUser,
      "a custom token, which may everything else": FORBIDDEN,
      "a read-only token": readOnly ? served : FORBIDDEN,
      "a full-access token": withoutUser,
      ...(mode === "refresh" ? {} : { "an unconfirmed user": served }),
      ...Object.fromEntries(Object.entries(bad).map(([name, [, decision]]) => [name, decision])),
    });

    for (const [route, row] of Object.entries(table)) {
      test(`${route}: ${row.action}`, async () => {
        const index = all.indexOf(row.action);
        const decisions: Record<string, string> = {};
        const decide = async (caller: string, token: string | undefined): Promise<void> => {
          decisions[caller] = await opened.decision(route, token);
        };
        await opened.permitPublic(all.filter((action) => action !== row.action));
        await decide("anonymous, who may everything else", undefined);
        await decide("a user, who may nothing else", opened.userToken(idOf(`only-${index}`)));
        await decide("a custom token, which may nothing else", `only-${index}-key`);
        await opened.permitPublic([row.action]);
        await decide("anonymous, who may nothing else", undefined);
        await decide("a user, who may everything else", opened.userToken(idOf(`not-${index}`)));
        await decide("a custom token, which may everything else", `not-${index}-key`);
        await decide("a read-only token", "read-only-key");
        await decide("a full-access token", FULL);
        if (mode !== "refresh") await decide("an unconfirmed user", opened.userToken(idOf("unconfirmed")));
        for (const [caller, [token]] of Object.entries(bad)) await decide(caller, token);
        expect(decisions).toEqual(expectedOf(row));
      });
    }

    test("HEAD is decided as GET", async () => {
      for (const route of Object.keys(table).filter((name) => name.startsWith("GET "))) {
        for (const token of [undefined, FULL, "read-only-key", "unknown-key"]) {
          const [path] = [`/api${route.slice(4).replace(/[:*]\w*/g, "999")}`];
          const [get, head] = [await opened.ask("GET", path, token), await opened.ask("HEAD", path, token)];
          expect([route, head.status]).toEqual([route, get.status]);
        }
      }
    });

    test("nobody needs credentials, or is refused for them, outside the API and where nothing is", async () => {
      for (const [request, status] of Object.entries(open)) {
        const [method = "", path = ""] = request.split(" ");
        for (const token of [undefined, FULL, "read-only-key", ...Object.values(bad).map(([key]) => key)]) {
          const answer = await opened.ask(method, path, token);
          expect([request, `${answer.status}`]).toEqual([request, status]);
        }
      }
    });

    test("a permission is asked for before the query, the body and the document", async () => {
      await opened.permitPublic(["api::site.site.find"]);
      const nonsense = "?fields=nope&populate[nope]=*&filters[nope]=1&pagination[page]=x";
      for (const [method, path] of [
        ["GET", "/api/notes"],
        ["GET", "/api/notes/nope"],
        ["POST", "/api/notes"],
        ["PUT", "/api/notes/nope"],
        ["GET", "/api/users"],
        ["GET", "/api/upload/files"],
      ] as const) {
        const body = method === "GET" ? undefined : { data: 5 };
        expect((await opened.ask(method, path + nonsense, undefined, body)).status).toBe(403);
      }
    });

    test("a body that cannot be read is refused before the credentials are looked at", async () => {
      for (const token of ["unknown-key", "read-only-key", FULL]) {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const request = new Request("http://localhost/api/notes", { method: "POST", headers, body: "{" });
        expect((await opened.app.handle(request)).status).toBe(400);
      }
    });

    describe("GraphQL", () => {
      const outcome = async (token: string | undefined): Promise<string> => {
        const query = "{ notes { title } }";
        const response = await opened.ask("POST", "/graphql", token, { query });
        const { data, errors, error }: Body = await response.json();
        return `${response.status} ${error?.message ?? errors?.[0].extensions.error.name ?? JSON.stringify(data)}`;
      };

      test("serves whoever may find, and refuses in its own words", async () => {
        const index = all.indexOf("api::note.note.find");
        const [served, forbidden] = ['200 {"notes":[]}', "200 ForbiddenError"];
        await opened.permitPublic(["api::note.note.find"]);
        expect(await outcome(undefined)).toBe(served);
        await opened.permitPublic(["api::note.note.findOne"]);
        expect(await outcome(undefined)).toBe(forbidden);
        expect(await outcome(opened.userToken(idOf(`only-${index}`)))).toBe(served);
        expect(await outcome(opened.userToken(idOf(`not-${index}`)))).toBe(forbidden);
        expect(await outcome(`only-${index}-key`)).toBe(served);
        expect(await outcome(`not-${index}-key`)).toBe(forbidden);
        expect(await outcome("read-only-key")).toBe(served);
        expect(await outcome(FULL)).toBe(served);
      });

      test("refuses bad credentials as REST does", async () => {
        for (const [caller, [token, decision]] of Object.entries(bad))
          expect([caller, await outcome(token)]).toEqual([caller, decision]);
      });
    });
  });
}

describe("a project that says nothing about roles", () => {
  let opened: Opened;
  const table = tables["legacy-support"];
  beforeAll(() => {
    const users = [{ username: "ada", email: "ada@example.com" }];
    opened = new Opened({ users, tokens: [full] });
  });
  afterAll(() => opened.close());

  for (const [route, { action, served, withoutUser = served }] of Object.entries(table)) {
    const [everybody, everyUser] = [atFirst.public.includes(action), atFirst.authenticated.includes(action)];
    test(`${route}: ${everybody ? "everybody" : everyUser ? "every user" : "nobody"}`, async () => {
      expect(await opened.decision(route, undefined)).toBe(everybody ? withoutUser : FORBIDDEN);
      expect(await opened.decision(route, opened.userToken(1))).toBe(everyUser ? served : FORBIDDEN);
    });
  }
});

describe("a public that may nothing at all", () => {
  let opened: Opened;
  const table = tables["legacy-support"];
  beforeAll(() => {
    const users = [{ username: "ada", email: "ada@example.com" }];
    const roles = { public: [], authenticated: ["api::note.note.find"] };
    opened = new Opened({ users, roles, tokens: [full] });
  });
  afterAll(() => opened.close());

  test("is told on every route that it lacks credentials", async () => {
    for (const route of Object.keys(table))
      expect([route, await opened.decision(route, undefined)]).toEqual([route, NO_CREDENTIALS]);
  });

  test("leaves users their rights", async () => {
    expect(await opened.decision("GET /notes", opened.userToken(1))).toBe("200");
    expect(await opened.decision("GET /notes/:id", opened.userToken(1))).toBe(FORBIDDEN);
  });

  test("still sees what needs no credentials, and is not told what does not exist", async () => {
    for (const [request, status] of Object.entries(open)) {
      const [method = "", path = ""] = request.split(" ");
      expect([request, `${(await opened.ask(method, path, undefined)).status}`]).toEqual([request, status]);
    }
  });

  test("is refused by GraphQL in the same way", async () => {
    const response = await opened.ask("POST", "/graphql", undefined, { query: "{ notes { title } }" });
    expect(response.status).toBe(401);
  });
});
