/** A database that other programs or damage have changed: what can be served is, and each damage is named. */
import { Database } from "bun:sqlite";
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectError } from "../../src/lib/errors.ts";
import { diagnose } from "../../src/server/diagnose.ts";
import { type RunningProject, runProject } from "../../src/server/running.ts";
import { ADMIN, type Body, componentFile, configFile, projectFolder, typeFile, writeFiles } from "../project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** By attribute: its type, a value that damages it, and what is returned; null is logged. */
const damages: readonly { type: string; stored: unknown; returned: unknown; sent: unknown }[] = [
  { type: "json", stored: "{ broken", returned: null, sent: { a: 1 } },
  { type: "json", stored: new Uint8Array([1, 2]), returned: null, sent: [1] },
  {
    type: "blocks",
    stored: "[",
    returned: null,
    sent: [{ type: "paragraph", children: [{ type: "text", text: "a" }] }],
  },
  { type: "boolean", stored: 2, returned: null, sent: true },
  { type: "boolean", stored: "yes", returned: null, sent: true },
  { type: "datetime", stored: "yesterday", returned: null, sent: "2026-01-01T00:00:00.000Z" },
  { type: "datetime", stored: "2026-01-01", returned: "2026-01-01T00:00:00.000Z", sent: "2026-02-02T00:00:00.000Z" },
  { type: "timestamp", stored: "yesterday", returned: null, sent: "2026-01-01T00:00:00.000Z" },
  { type: "integer", stored: "many", returned: null, sent: 1 },
  { type: "decimal", stored: "many", returned: null, sent: 1.5 },
  { type: "float", stored: new Uint8Array([1]), returned: null, sent: 1.5 },
  { type: "biginteger", stored: "12345678901234567890123", returned: "1.2345678901234568e+22", sent: "1" },
  { type: "date", stored: new Uint8Array([1]), returned: null, sent: "2026-01-01" },
  { type: "time", stored: new Uint8Array([1]), returned: null, sent: "10:00:00.000" },
  { type: "string", stored: new Uint8Array([255]), returned: null, sent: "a" },
  { type: "text", stored: new Uint8Array([255]), returned: null, sent: "a" },
  { type: "email", stored: new Uint8Array([255]), returned: null, sent: "a@example.org" },
];

const nameOf = (index: number): string => `a${index}`;
const attributes = Object.fromEntries(damages.map(({ type }, index) => [nameOf(index), { type }]));
const files = {
  ...configFile(),
  ...componentFile("shared.part", attributes),
  ...typeFile("post", { ...attributes, part: { type: "component", component: "shared.part" } }),
};

async function open(root: string): Promise<RunningProject> {
  const options = { memory: false, publicRead: false, environment: {}, watch: false, report: () => {} };
  const running = await runProject(root, options);
  cleanups.push(() => running.close());
  return running;
}

function newProject(): { root: string; file: string } {
  const { root, remove } = projectFolder(files);
  cleanups.push(remove);
  return { root, file: join(root, ".galley/content.db") };
}

async function call(running: RunningProject, method: string, path: string, body?: unknown) {
  const init = { method, headers: { ...ADMIN, "content-type": "application/json" } };
  const request = new Request(`http://localhost${path}`, body ? { ...init, body: JSON.stringify(body) } : init);
  const response = await running.handle(request);
  return { status: response.status, body: (await response.json()) as Body };
}

const change = (file: string, work: (db: Database) => void): void => {
  const db = new Database(file);
  work(db);
  db.close();
};

const unreadable = damages.flatMap(({ type, returned }, index) =>
  returned === null ? [{ type, name: nameOf(index) }] : [],
);

describe("values that cannot be read", () => {
  test("are null in REST, GraphQL, components and long lists, are logged once and found by the doctor", async () => {
    const { root, file } = newProject();
    const data = Object.fromEntries(damages.map(({ sent }, index) => [nameOf(index), sent]));
    const running = await open(root);
    for (let count = 0; count < 2; count++)
      expect((await call(running, "POST", "/api/posts", { data: { ...data, part: data } })).status).toBe(201);
    const { components } = running.project().model;
    const tables = ["posts", components.get("shared.part")!.table];
    change(file, (db) => {
      for (const table of tables)
        for (const [index, { stored }] of damages.entries())
          db.run(`UPDATE "${table}" SET ${nameOf(index)} = ? WHERE id = 2`, [stored as never]);
    });
    const logged: string[] = [];
    const spy = spyOn(console, "error").mockImplementation((line) => void logged.push(String(line)));
    cleanups.push(() => spy.mockRestore());
    const returned = Object.fromEntries(damages.map(({ returned }, index) => [nameOf(index), returned]));
    const names = damages.map((_, index) => nameOf(index)).join(" ");
    for (let times = 0; times < 250; times++) {
      const { status, body } = await call(running, "GET", `/api/posts?populate=*&sort=id&filters[id][$gt]=-${times}`);
      expect(status).toBe(200);
      expect(body.data[0]).toMatchObject({ a0: { a: 1 } });
      expect(body.data[1]).toMatchObject({ ...returned, part: returned });
    }
    const query = `{ posts(sort: "id") { ${names} part { ${names} } } }`;
    const answer = await call(running, "POST", "/graphql", { query });
    expect(answer.body.errors).toBeUndefined();
    expect(answer.body.data.posts[1]).toMatchObject({ a0: null, a3: null, part: { a0: null } });
    expect(logged.length).toBe(2 * unreadable.length);
    expect(logged[0]).toBe(
      'galley: api::post.post, row 2: what is stored as "a0" is not a valid json, and is returned as null (galley doctor finds all)',
    );
    const { unreadable: found } = await diagnose(root, {});
    expect(found).toEqual(
      ["api::post.post", "shared.part"].flatMap((uid) =>
        unreadable.map(({ type, name }) => ({ uid, attribute: name, type, count: 1, rows: [2] })),
      ),
    );
  }, 180_000);

  test("do not stop a change of their type, and stay in the column of the earlier one", async () => {
    const { root, file } = newProject();
    const running = await open(root);
    await call(running, "POST", "/api/posts", { data: { a0: { a: 1 } } });
    await running.close();
    change(file, (db) => db.run("UPDATE posts SET a0 = '{ broken'"));
    writeFiles(root, typeFile("post", { a0: { type: "text" } }));
    const next = await open(root);
    expect((await call(next, "GET", "/api/posts")).body.data[0].a0).toBeNull();
    await next.close();
    change(file, (db) => expect(db.query('SELECT "a0$json" FROM posts').values()).toEqual([["{ broken"]]));
  }, 30_000);
});

test.skipIf(process.platform === "win32").each(["", "-wal"])(
  "a file content.db%s that was removed or replaced takes no writes, which the next start would not find",
  async (suffix) => {
    const { file } = newProject();
    const running = await open(join(file, "../.."));
    const create = async () => (await call(running, "POST", "/api/posts", { data: {} })).status;
    const count = async () => (await call(running, "GET", "/api/posts")).body.data.length;
    expect(await create()).toBe(201);
    const spy = spyOn(console, "error").mockImplementation(() => {});
    cleanups.push(() => spy.mockRestore());
    const removed = file + suffix;
    const away = `${removed}-away`;
    renameSync(removed, away);
    expect([await create(), await count()]).toEqual([503, 1]);
    expect(spy.mock.calls.join()).toContain(`${removed} was removed or replaced while it is in use`);
    copyFileSync(away, removed);
    expect(await create()).toBe(503);
    renameSync(away, removed);
    expect([await create(), await count()]).toEqual([201, 2]);
  },
);

describe("a start with a damaged database", () => {
  const refused: readonly { name: string; sql: string; message: string }[] = [
    { name: "a dropped table", sql: "DROP TABLE posts", message: 'content.db: has lost the table "posts"; restore' },
    {
      name: "a dropped column",
      sql: 'ALTER TABLE posts DROP COLUMN "a3"',
      message: 'content.db: has lost the column "a3" of "posts"; restore',
    },
    { name: "no links", sql: "DROP TABLE galley_links", message: 'has lost the table "galley_links"' },
    {
      name: "a layout that is not JSON",
      sql: "UPDATE galley_meta SET value = '{' WHERE key = 'layout'",
      message: "content.db: galley_meta, layout: is damaged; restore a copy of the database",
    },
    {
      name: "a layout of another shape",
      sql: `UPDATE galley_meta SET value = '{"posts":1}' WHERE key = 'layout'`,
      message: "galley_meta, layout: is damaged",
    },
    {
      name: "warnings that are not JSON",
      sql: "UPDATE galley_meta SET value = 'x' WHERE key = 'warnings'",
      message: "galley_meta, warnings: is damaged",
    },
    {
      name: "settings that are not JSON",
      sql: "INSERT INTO galley_meta VALUES ('store:plugin_upload_settings', '{')",
      message: "galley_meta, store:plugin_upload_settings: is damaged",
    },
  ];
  for (const { name, sql, message } of refused) {
    test(`${name} is refused by name`, async () => {
      const { root, file } = newProject();
      await (await open(root)).close();
      change(file, (db) => db.run(sql));
      const failure = await open(root).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ProjectError);
      expect((failure as Error).message).toContain(message);
    }, 30_000);
  }
});

describe("a database that was there before", () => {
  const messages = async (root: string): Promise<string[]> => {
    const logged: string[] = [];
    const spy = spyOn(console, "error").mockImplementation((line) => void logged.push(String(line)));
    await (await open(root)).close();
    spy.mockRestore();
    return logged;
  };

  for (const [name, lose] of [
    ["is missing", (file: string) => rmSync(file)],
    ["is empty", (file: string) => writeFileSync(file, "")],
  ] as const) {
    test(`and ${name} is reported once, and the project starts anew`, async () => {
      const { root, file } = newProject();
      expect(await messages(root)).toEqual([]);
      expect(await messages(root)).toEqual([]);
      for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
      lose(file);
      expect(await messages(root)).toEqual([expect.stringContaining("content.db was missing or empty")]);
      expect(await messages(root)).toEqual([]);
      rmSync(join(root, ".galley"), { recursive: true });
      expect(await messages(root)).toEqual([]);
      expect(existsSync(file)).toBe(true);
    }, 30_000);
  }

  test("and never had tables, since the first start was refused, is not reported", async () => {
    const { root } = newProject();
    const settings = join(root, "config/galley.json");
    mkdirSync(join(root, "config"), { recursive: true });
    writeFileSync(settings, '{ "roles": { "public": ["api::none"] } }');
    await expect(open(root)).rejects.toThrow("there is no action api::none");
    writeFileSync(settings, "{}");
    expect(await messages(root)).toEqual([]);
  });
});
