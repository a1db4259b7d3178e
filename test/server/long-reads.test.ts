/** Long lists of large tables, and levels with many links, are read in another process, while this one answers requests. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { linkCount } from "../../src/engine/storage/column-indexes.ts";
import { Storage } from "../../src/engine/storage/storage.ts";
import { createApp } from "../../src/server/app.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { ReaderProcesses } from "../../src/server/readers/reader-processes.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, relation, typeFile } from "../project.ts";
import { until } from "../until.ts";

/** More than lists are read of in the same process. */
const ROWS = 60_000;
/** Each has links to all things. */
const GROUPS = 4;
const LINKS = "groups.things>things";
const READER = [...PROGRAM, "read-rows"];
const files = {
  ...typeFile("thing", { label: { type: "string" }, note: { type: "text" }, size: { type: "integer" } }),
  ...typeFile("group", { name: { type: "string" }, things: relation("oneToMany", "thing") }),
  ...configFile({
    tokens: [
      { name: "full", type: "full-access", key: "full" },
      { name: "admin", type: "admin", key: "admin" },
    ],
    // the process that reads everything itself takes longer on a busy machine
    limits: { uninterrupted: 10_000 },
  }),
};

const folder = projectFolder(files);
const opened: Project[] = [];
function open(readerCommand?: readonly string[]) {
  const project = openProject(folder.root, {
    memory: false,
    publicRead: true,
    admin: () => true,
    environment: { PATH: process.env.PATH },
    ...(readerCommand ? { readerCommand } : {}),
  });
  opened.push(project);
  const { handle } = createApp(project);
  const get = async (path: string): Promise<unknown> => {
    const authorization = path.startsWith("/api/") ? "Bearer full" : "Bearer admin";
    return (await handle(new Request(`http://localhost${path}`, { headers: { authorization } }))).json();
  };
  const graphql = async (query: string): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/graphql", {
      method: "POST",
      headers,
      body: JSON.stringify({ query }),
    });
    return (await handle(request)).json();
  };
  return { project, get, graphql };
}

let here: ReturnType<typeof open>;
let apart: ReturnType<typeof open>;
beforeAll(() => {
  here = open();
  here.project.context.storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO things (document_id, status, created_at, updated_at, published_at, label, note, size)
     SELECT 'doc' || i, 'published', '2026', '2026', '2026', 'label ' || (i * 7919) % 997, 'note ' || i, i % 101 FROM n`,
  );
  here.project.context.storage.run(
    `INSERT INTO files (document_id, status, created_at, updated_at, published_at, name, hash, mime, size, url, provider)
     SELECT document_id, status, created_at, updated_at, published_at, note || '.jpg', label, 'image/jpeg', size, '/uploads/' || id, 'local'
     FROM things`,
  );
  here.project.context.storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${GROUPS})
     INSERT INTO groups (document_id, status, created_at, updated_at, published_at, name)
     SELECT 'group' || i, 'published', '2026', '2026', '2026', 'group ' || i FROM n`,
  );
  here.project.context.storage.run(
    `INSERT INTO galley_links (field, owner, position, target, kind, inverse)
     SELECT ?, g.id, t.id, t.id, ?, g.id FROM groups g, things t`,
    [here.project.context.storage.number(LINKS), here.project.context.storage.number("things")],
  );
  apart = open(READER);
});
afterAll(async () => {
  for (const project of opened) await project.close();
  folder.remove();
});

const indexes = (): unknown[] =>
  here.project.context.storage
    .all("SELECT name FROM sqlite_schema WHERE name LIKE '%_listed' ORDER BY name")
    .map(([name]) => name);

test("other requests are answered in the meantime", async () => {
  let isOver = false;
  const list = apart.get("/api/things?filters[note][$contains]=te%2059").then((body) => {
    isOver = true;
    return body;
  });
  expect(await apart.get("/api/things/doc7")).toMatchObject({ data: { note: "note 7" } });
  expect(isOver).toBe(false);
  expect(await list).toMatchObject({ meta: { pagination: { total: 1_111 } } });
});

test("an index is created there", async () => {
  expect(indexes()).toEqual([]);
  const run = spyOn(apart.project.context.storage, "run");
  // while another process writes there is none yet: each list that is in no cache tries again
  let lists = 0;
  await until("the index is there", async () => {
    await apart.get(`/api/things?filters[label]=label%205&n=${lists++}`);
    return indexes().length > 0;
  });
  expect(run.mock.calls.filter(([sql]) => /^CREATE INDEX/.test(sql))).toEqual([]);
  run.mockRestore();
  expect(indexes()).toEqual(["things_label_listed"]);
});

describe("what an index has is read here", () => {
  const lists: Readonly<Record<string, [path: string, isReadHere: boolean]>> = {
    "a value": ["filters[label]=label%206", true],
    "an order": ["sort=label:desc&pagination[start]=40000", true],
    "other columns": ["filters[label]=label%207&filters[note]=note%207", false],
    "the text of a column": ["filters[label][$endsWith]=8", false],
    "either of two": ["filters[$or][0][label]=label%207&filters[$or][1][label][$null]=true", false],
  };
  test.each(Object.entries(lists))("%s", async (_name, [query, isReadHere]) => {
    const reads = spyOn(ReaderProcesses.prototype, "read");
    const answer = await apart.get(`/api/things?${query}`);
    const count = reads.mock.calls.length;
    reads.mockRestore();
    expect(count === 0).toBe(isReadHere);
    expect(answer).toMatchObject({ meta: { pagination: { total: expect.any(Number) } } });
    expect(answer).toEqual(await here.get(`/api/things?${query}`));
  });
});

describe("answers are those of a server that reads itself", () => {
  const paths = [
    "/api/things?filters[label][$contains]=7&sort=size:desc",
    "/api/things?filters[label][$contains]=7&sort=size:desc&pagination[page]=2",
    "/api/things?filters[label][$contains]=7&sort=size:desc&pagination[page]=2",
    "/api/things?_q=note%2012",
    "/api/things?_q=note%2012&pagination[limit]=1",
    "/api/things?_q=nothing%20at%20all",
    "/api/things?filters[note]=note%20123&pagination[withCount]=false",
    "/api/things?filters[note][$contains]=9&pagination[page]=100000",
    "/api/things?sort=note,label&pagination[start]=59990&pagination[limit]=100",
    "/api/things?filters[label][$gt]=label%205&pagination[pageSize]=100&fields=size",
    "/api/things?filters[size][$contains]=%27%22&sort=note",
    "/api/upload/files?filters[name][$contains]=77&limit=5&sort=name",
    "/api/upload/files/page?_q=note%2033&pagination[pageSize]=5",
    "/upload/files?_q=note%2044&pageSize=5",
    "/content-manager/collection-types/api::thing.thing?_q=note%2055&pageSize=5",
  ];
  for (const path of paths) {
    test(path, async () => {
      const answer = await apart.get(path);
      expect(answer).not.toHaveProperty("error.status");
      expect(answer).toEqual(await here.get(path));
    });
  }

  const queries = [
    `{ things(filters: { note: { contains: "77" } }, sort: "label:desc") { documentId note } }`,
    `{ things_connection(filters: { note: { contains: "78" } }) { nodes { note } pageInfo { total pageCount } } }`,
    `{ things_connection(filters: { note: { contains: "79" } }) { pageInfo { total } } }`,
    `{ a: things(filters: { note: { contains: "81" } }) { size } b: things(sort: "note") { size note } }`,
  ];
  for (const query of queries) {
    test(query, async () => {
      expect(await apart.graphql(query)).toEqual(await here.graphql(query));
    });
  }
});

describe("what looks at many links is read there, with the same answer", () => {
  const requests: Readonly<Record<string, string>> = {
    "a filtered level": "/api/groups?populate[things][filters][note][$contains]=te%2058&populate[things][fields]=note",
    "a sorted level": "/api/groups/group2?populate[things][sort]=note:desc&populate[things][fields]=note",
    "a counted level": "/api/groups?populate[things][count]=true",
    "a page of a level": '{ groups { name things(pagination: { start: 59990, limit: 5 }, sort: "note") { note } } }',
    "many pages of a level": `{ groups { ${[1, 2, 3].map((n) => `a${n}: things(pagination: { start: ${n}, limit: 5 }) { note }`).join(" ")} } }`,
    "a filter by a relation": "/api/groups?filters[things][note][$contains]=te%2059&fields=name",
    "a filter by a relation, of one document":
      "/api/groups/group1?filters[things][note][$contains]=te%2059&fields=name",
    "a total of a filter by a relation":
      '{ groups_connection(filters: { things: { note: { notContains: "x" } } }) { pageInfo { total } } }',
    "a list sorted by a relation": "/api/groups?sort=things.note:desc&fields=name",
    "what a relation may lead to": "/content-manager/relations/api::group.group/things?_q=te%2057&pageSize=5",
    "a level filtered by a relation of its own":
      "/api/groups?populate[things][filters][note]=note%2066&filters[things][size]=7",
  };
  for (const [name, request] of Object.entries(requests)) {
    test(name, async () => {
      const ask = ({ get, graphql }: typeof here): Promise<unknown> =>
        request.startsWith("/") ? get(request) : graphql(request);
      const reads = spyOn(ReaderProcesses.prototype, "read");
      const answer = await ask(apart);
      const statements = reads.mock.calls.map(([{ sql }]) => sql);
      reads.mockRestore();
      expect(statements.filter((sql) => !sql.startsWith("SELECT count(*) FROM (SELECT 1 FROM"))).not.toEqual([]);
      expect(answer).not.toHaveProperty("error.status");
      expect(answer).not.toHaveProperty("errors");
      expect(answer).toEqual(await ask(here));
    }, 60_000);
  }

  test("also when content changes meanwhile, each time", async () => {
    const { storage } = here.project.context;
    const { read } = ReaderProcesses.prototype;
    let writes = 0;
    const reads = spyOn(ReaderProcesses.prototype, "read").mockImplementation(async function (
      this: ReaderProcesses,
      statement,
    ) {
      const rows = await read.call(this, statement);
      storage.run("UPDATE groups SET name = ? WHERE document_id = 'group3'", [`changed ${writes++}`]);
      return rows;
    });
    const local = spyOn(Storage.prototype, "all");
    const requests: readonly (readonly [notes: number, request: () => Promise<unknown>])[] = [
      [594, () => apart.get("/api/groups?populate[things][filters][size]=7&populate[things][fields]=note")],
      [
        100,
        () =>
          apart.graphql(
            "{ groups { name things(filters: { size: { eq: 7 } }, pagination: { limit: 100 }) { note } } }",
          ),
      ],
    ];
    for (const [notes, request] of requests) {
      local.mockClear();
      const before = writes;
      const text = JSON.stringify(await request());
      expect(text.match(/"note":"note/g)).toHaveLength(GROUPS * notes);
      expect(writes - before).toBeGreaterThan(1);
      expect(local.mock.calls.filter(([sql]) => sql.includes("galley_links") && sql.includes('"size"'))).toEqual([]);
    }
    reads.mockRestore();
    local.mockRestore();
  }, 60_000);

  test("as are the links of a field, for estimates", async () => {
    const again = open(READER);
    const { storage } = again.project.context;
    expect(linkCount(storage, LINKS)).toBe(200_000);
    await until("all links are counted", () => linkCount(storage, LINKS) === GROUPS * ROWS);
    // a minute later, those that are known to be many are counted there only
    const { now } = performance;
    performance.now = () => now.call(performance) + 60_000;
    const local = spyOn(storage, "all");
    expect(linkCount(storage, LINKS)).toBe(GROUPS * ROWS);
    performance.now = now;
    expect(local.mock.calls.filter(([sql]) => sql.includes("galley_links"))).toEqual([]);
    local.mockRestore();
    expect(linkCount(here.project.context.storage, LINKS)).toBe(GROUPS * ROWS);
  }, 60_000);
});

test("a list has what was written before it was requested", async () => {
  const path = "/api/things?filters[note][$contains]=written";
  const pending: Promise<unknown>[] = [];
  for (let count = 0; count < 3; count++) {
    expect(await apart.get(path)).toMatchObject({ meta: { pagination: { total: count } } });
    // a read of the old content may still be under way when the next one comes
    pending.push(apart.get(`${path}&sort=note`));
    here.project.context.storage.run(
      `INSERT INTO things (document_id, status, created_at, updated_at, published_at, note)
       VALUES (?, 'published', '2026', '2026', '2026', 'written')`,
      [`written${count}`],
    );
    // the next request comes in another turn of the event loop
    await Bun.sleep(0);
  }
  await Promise.all(pending);
});

test("rows that are gone when they are read are left out", async () => {
  const { storage } = apart.project.context;
  const list = apart.get("/api/things?filters[note][$contains]=note%2033&sort=note&pagination[pageSize]=5");
  storage.run("DELETE FROM things WHERE note IN ('note 33', 'note 330')");
  const { data } = (await list) as { data: { note: string }[] };
  expect(data.map(({ note }) => note)).not.toContain("note 33");
  expect(data).toHaveLength(5);
});

test("without such a process the list is read here, and the reason is logged", async () => {
  const errors = spyOn(console, "error").mockImplementation(() => {});
  const broken = open([process.execPath, "-e", "process.exit(3)"]);
  const path = "/api/things?filters[note][$contains]=45";
  expect(await broken.get(path)).toEqual(await here.get(path));
  expect(errors.mock.calls.join()).toContain("a process that reads ended with 3");
  errors.mockRestore();
});

test.skipIf(process.platform !== "linux")("where memory is short, it is ended rather than the server", async () => {
  const child = Bun.spawn(READER, { ipc: () => {}, stdio: ["ignore", "ignore", "inherit"] });
  const score = Bun.file(`/proc/${child.pid}/oom_score_adj`);
  await until("it is the first to end", async () => (await score.text()).trim() === "1000");
  child.kill();
  expect((await Bun.file("/proc/self/oom_score_adj").text()).trim()).not.toBe("1000");
});

/** Runs a command where nothing in /proc can be written, as in some sandboxes. */
const sandboxed = (command: readonly string[]): string[] => [
  ...[
    "unshare",
    "--mount",
    "sh",
    "-c",
    'mount --bind /proc /proc && mount -o remount,bind,ro /proc && exec "$@"',
    "sh",
  ],
  ...command,
];
const hasSandbox = Bun.which("unshare") !== null && Bun.spawnSync(sandboxed(["true"])).success;

test.skipIf(!hasSandbox)("where its order cannot be changed, it reads as well", async () => {
  const errors = spyOn(console, "error").mockImplementation(() => {});
  const list = "/api/things?filters[note][$contains]=45";
  expect(await open(sandboxed(READER)).get(list)).toEqual(await here.get(list));
  expect(errors).not.toHaveBeenCalled();
  errors.mockRestore();
});

describe("a process that does not answer", () => {
  const SILENT = [process.execPath, "-e", "process.on('message', () => {}); setInterval(() => {}, 1000)"];
  const statement = { sql: "SELECT 1", params: [] };

  test("is killed, and the request refused", async () => {
    const readers = new ReaderProcesses("nowhere.db", { command: SILENT, environment: {}, readMs: 50 });
    await expect(readers.read(statement)).rejects.toThrow("The database is busy");
    readers.close();
  });

  test("does not keep others waiting for long, nor too many of them", async () => {
    const readers = new ReaderProcesses("nowhere.db", { command: SILENT, environment: {}, readMs: 300, waitMs: 100 });
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => readers.read(statement)));
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    readers.close();
  });
});
