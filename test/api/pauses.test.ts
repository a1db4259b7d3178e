/** Long reads pause, so that one request does not keep the others waiting. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { toJson } from "../../src/api/responses.ts";
import { Storage } from "../../src/engine/storage/storage.ts";
import { Budget } from "../../src/lib/budget.ts";
import { threadTime } from "../processor-time.ts";
import { ADMIN, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const AUTHORS = 20;
const ARTICLES = 8_000;
const types = {
  ...typeFile("article", {
    title: { type: "string" },
    body: { type: "text" },
    author: { ...relation("manyToOne", "author"), inversedBy: "articles" },
  }),
  ...typeFile("author", {
    name: { type: "string" },
    articles: { ...relation("oneToMany", "article"), mappedBy: "author" },
  }),
};
const keysOf = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);
const contentOf = (articles: number) => ({
  "content/authors.json": JSON.stringify(keysOf(AUTHORS).map((key) => ({ key, data: { name: `author ${key}` } }))),
  "content/articles.json": JSON.stringify(
    keysOf(articles).map((key) => ({
      key,
      data: { title: `article ${key}`, body: "lorem ipsum ".repeat(60), author: `authors/${Number(key) % AUTHORS}` },
    })),
  ),
});
const content = contentOf(ARTICLES);

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ ...types, ...content, ...configFile({ limits: { uninterrupted: 5_000 } }) });
  await app.call("POST", "/graphql", { query: "{ __typename }" });
}, 120_000);
afterAll(() => app.close());

const send = (path: string, query?: string, to = app): Promise<Response> =>
  to.handle(
    new Request(`http://localhost${path}`, {
      headers: { ...ADMIN, "content-type": "application/json" },
      ...(query === undefined ? {} : { method: "POST", body: JSON.stringify({ query }) }),
    }),
  );

/** The status, the processor time, and the largest part of it within one turn of the event loop. */
async function measureTurns(request: () => Promise<Response>) {
  let longest = 0;
  let last = threadTime();
  let timer = setImmediate(function turn() {
    const now = threadTime();
    longest = Math.max(longest, now - last);
    last = threadTime();
    timer = setImmediate(turn);
  });
  await new Promise((resolve) => setImmediate(resolve));
  longest = 0;
  const start = threadTime();
  const response = await request();
  const total = threadTime() - start;
  longest = Math.max(longest, threadTime() - last);
  clearImmediate(timer);
  return { response, total, longest };
}

const times = (count: number, make: (n: number) => string): string =>
  keysOf(count)
    .map((n) => make(Number(n)))
    .join(" ");

/** From now on, reads pause at every opportunity, however fast the machine is. Returns what undoes it. */
function pauseAlways(): () => void {
  const isPauseDue = Object.getOwnPropertyDescriptor(Budget.prototype, "isPauseDue")!;
  Object.defineProperty(Budget.prototype, "isPauseDue", { ...isPauseDue, get: () => true });
  return () => void Object.defineProperty(Budget.prototype, "isPauseDue", isPauseDue);
}

describe("a long read lets others be served", () => {
  const requests: Readonly<Record<string, () => Promise<Response>>> = {
    "REST, two populated levels": () => send("/api/authors?populate[articles][populate]=author"),
    "GraphQL, 60 searches": () =>
      send(
        "/graphql",
        `{ ${times(60, (n) => `a${n}: articles(filters: { body: { containsi: "zq${n}" } }) { title }`)} }`,
      ),
    "GraphQL, three populated levels": () =>
      send(
        "/graphql",
        "{ authors(pagination: { limit: 20 }) { articles(pagination: { limit: -1 }) { title body author { articles(pagination: { limit: 90 }) { title } } } } }",
      ),
  };
  for (const [name, request] of Object.entries(requests)) {
    test(name, async () => {
      const undo = pauseAlways();
      const { response, total, longest } = await measureTurns(request).finally(undo);
      expect(response.status).toBe(200);
      const body = await response.text();
      expect(body).not.toContain('"errors"');
      // the work of a request can be done in many turns
      expect(longest).toBeLessThan(0.3 * total);
    }, 180_000);
  }

  test("and two of them at most hold what they have read, until their responses are built", async () => {
    const { whenAdmitted } = Budget.prototype;
    const steps: string[] = [];
    let running = 0;
    let most = 0;
    const admission = spyOn(Budget.prototype, "whenAdmitted").mockImplementation(function <T>(
      this: Budget,
      step: () => Promise<T>,
      order: "any" | "last" = "any",
    ) {
      const counted = async (): Promise<T> => {
        steps.push(order);
        most = Math.max(most, ++running);
        try {
          return await step();
        } finally {
          running--;
        }
      };
      return whenAdmitted.call(this, counted, order) as Promise<T>;
    });
    const undo = pauseAlways();
    const stepsOf = async (request: (n: number) => Promise<Response>): Promise<string[]> => {
      steps.length = 0;
      for (const { status } of await Promise.all([1, 2, 3].map(request))) expect(status).toBe(200);
      return steps.sort();
    };
    try {
      const path = "/api/authors?populate[articles][populate]=author";
      expect(await stepsOf((n) => send(`${path}&sort[${n}]=name`))).toEqual([
        "any",
        "any",
        "any",
        "last",
        "last",
        "last",
      ]);
      const query = (n: number) =>
        `{ authors { a${n}: articles(pagination: { limit: -1 }) { title author { name } } } }`;
      expect(await stepsOf((n) => send("/graphql", query(n)))).toContain("any");
      expect(most).toBe(2);
    } finally {
      undo();
      admission.mockRestore();
    }
  }, 120_000);

  test("and reads one snapshot, though content changes meanwhile", async () => {
    const title = times(1, () => "changed");
    const query = `{ ${times(60, (n) => `a${n}: articles(filters: { body: { containsi: "lorem" }, title: { ne: "${n}" } }, sort: "id", pagination: { limit: 1 }) { title documentId }`)} }`;
    const reading = send("/graphql", query);
    await new Promise((resolve) => setImmediate(resolve));
    const { body } = await app.call("GET", "/api/articles?sort=id&pagination[pageSize]=1");
    await app.call("PUT", `/api/articles/${body.data[0].documentId}`, { data: { title } });
    const { data } = (await (await reading).json()) as { data: Record<string, { title: string }[]> };
    expect(new Set(Object.values(data).map(([article]) => article?.title)).size).toBe(1);
  }, 180_000);
});

describe("a long read while others write all the time", () => {
  const LIMIT = 100;
  const first = (n: number) => `b${n}: articles(filters: { title: { ne: "${n}" } }, sort: "id") { title }`;
  const searches = times(
    60,
    (n) => `a${n}: articles(filters: { body: { containsi: "zq${n}" } }) { title } ${first(n)}`,
  );
  const requests: Readonly<Record<string, readonly [path: string, query?: string]>> = {
    REST: ["/api/authors?populate[articles][populate]=author&pagination[pageSize]=100"],
    GraphQL: ["/graphql", `{ ${searches} }`],
  };

  type Answer = { data: object; errors?: unknown; error?: unknown };

  /** Runs a read beside writes, each in a turn of its own. */
  async function readBesideWrites(own: TestApp, [path, query]: readonly [path: string, query?: string]) {
    const { body } = await own.call("GET", "/api/articles?sort=id&pagination[pageSize]=1");
    const { documentId } = body.data[0];
    let writes = 0;
    let isOver = false;
    const writer = (async () => {
      while (!isOver) {
        await own.call("PUT", `/api/articles/${documentId}`, { data: { title: `title ${writes++}` } });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await new Promise((resolve) => setImmediate(resolve));
    const { response, total, longest } = await measureTurns(() => send(path, query, own));
    isOver = true;
    await writer;
    return { status: response.status, body: (await response.json()) as Answer, total, longest, writes };
  }

  for (const memory of [false, true]) {
    describe(memory ? "in memory: ends without pauses" : "in a file: keeps its snapshot", () => {
      let own: TestApp;
      beforeAll(async () => {
        const files = { ...types, ...contentOf(20_000), ...configFile({ limits: { uninterrupted: LIMIT } }) };
        own = await testApp(files, { memory });
        await own.call("POST", "/graphql", { query: "{ __typename }" });
      }, 120_000);
      afterAll(() => own.close());

      for (const [name, request] of Object.entries(requests)) {
        test(name, async () => {
          const { status, body, total, longest, writes } = await readBesideWrites(own, request);
          // otherwise it would not be refused without pauses
          expect(total).toBeGreaterThan(LIMIT);
          expect(writes).toBeGreaterThan(1);
          expect([status, body.errors, body.error]).toEqual([200, undefined, undefined]);
          if (!memory) expect(longest).toBeLessThan(0.75 * total);
          const rows = Object.values(body.data).flat() as { title: string }[];
          if (!request[1]) expect(rows).toHaveLength(AUTHORS);
          else
            expect(new Set(rows.map(({ title }) => title).filter((title) => title.startsWith("title"))).size).toBe(1);
        }, 180_000);
      }
    });
  }
});

test("a long read stops when the client has disconnected", async () => {
  const client = new AbortController();
  const url = "http://localhost/api/authors?populate[articles][populate]=author&sort=name";
  const undo = pauseAlways();
  const reading = app.handle(new Request(url, { headers: ADMIN, signal: client.signal }));
  client.abort();
  expect((await reading).status).toBe(400);
  undo();
});

test("JSON that is built in steps is that of the engine", async () => {
  const row = {
    id: 1,
    text: 'a "b"\u2028',
    none: null,
    missing: undefined,
    time: new Date(0),
    list: [undefined, 1.5, true],
  };
  const body = {
    data: Array.from({ length: 500 }, () => ({ ...row, rows: Array(300).fill(row), empty: [], nothing: {} })),
  };
  const budget = new Budget();
  budget.take("values", 400_000);
  const text = toJson(body, budget);
  expect(text).toBeInstanceOf(Promise);
  expect(await text).toBe(JSON.stringify(body));
});

test("fields that differ only in their alias are read once", async () => {
  const statementsOf = async (count: number, args: string): Promise<number> => {
    let statements = 0;
    const database = app.database();
    const { query } = database;
    database.query = ((sql: string) => {
      statements++;
      return query.call(database, sql);
    }) as typeof query;
    const fields = times(count, (n) => `a${n}: articles${args} { title author { name } }`);
    const { body } = await app.call("POST", "/graphql", {
      query: `{ authors(pagination: { limit: 2 }) { ${fields} } }`,
    });
    database.query = query;
    expect(Object.keys(body.data.authors[0])).toHaveLength(count);
    expect(body.data.authors[1][`a${count - 1}`]).toEqual(body.data.authors[1].a0);
    expect(body.data.authors[0].a0[0].author.name).toBe("author 0");
    return statements;
  };
  for (const args of ["", "(pagination: { limit: 3 })"])
    expect((await statementsOf(50, args)) - (await statementsOf(2, args))).toBeLessThan(10);
});

test("prepared fields with the same literals may get others", async () => {
  const titles = async (first: number, second: number) => {
    const query = `{ authors(pagination: { limit: 1 }) { a: articles(pagination: { limit: ${first} }) { title } b: articles(pagination: { limit: ${second} }) { title } } }`;
    const { body } = await app.call("POST", "/graphql", { query });
    return [body.data.authors[0].a.length, body.data.authors[0].b.length];
  };
  expect(await titles(2, 2)).toEqual([2, 2]);
  expect(await titles(3, 3)).toEqual([3, 3]);
  expect(await titles(1, 4)).toEqual([1, 4]);
});

describe("related entries beyond the values of a response are refused before they are loaded", () => {
  const issues = [0, 1].map((issue) => ({
    key: `${issue}`,
    data: { articles: keysOf(ARTICLES / 2).map((n) => `articles/${2 * Number(n) + issue}`) },
  }));
  let own: TestApp;
  beforeAll(async () => {
    own = await testApp({
      ...types,
      ...typeFile("issue", { articles: relation("manyToMany", "article") }),
      ...content,
      "content/issues.json": JSON.stringify(issues),
      ...configFile({ limits: { values: 60_000 } }),
    });
    await own.call("POST", "/graphql", { query: "{ __typename }" });
  }, 120_000);
  afterAll(() => own.close());

  const nested = "articles(pagination: { limit: -1 })";
  const requests: Readonly<Record<string, readonly [path: string, query?: string]>> = {
    "REST, three levels": ["/api/authors?populate[articles][populate][author][populate]=articles"],
    "REST, three levels from the owner": ["/api/issues?populate[articles][populate][author][populate]=articles"],
    "REST, two levels": ["/api/articles?pagination[pageSize]=100&populate[author][populate]=articles"],
    "GraphQL, three levels": ["/graphql", `{ authors { ${nested} { title author { ${nested} { title } } } } }`],
    "GraphQL, twelve times": [
      "/graphql",
      `{ authors(pagination: { limit: 100 }) { ${times(12, (n) => `a${n}: articles(pagination: { limit: -1 }, sort: "id", filters: { title: { ne: "${n}" } }) { title body a: title b: title c: title d: title e: title f: title g: title }`)} } }`,
    ],
  };
  /** The text of the response, and the number of rows of articles that were read for it. */
  async function read(path: string, query?: string) {
    let rows = 0;
    const { all } = Storage.prototype;
    const reading = spyOn(Storage.prototype, "all").mockImplementation(function (this: Storage, sql, params) {
      const found = all.call(this, sql, params);
      if (/t\."title".* FROM /.test(sql)) rows += found.length;
      return found;
    });
    const text = await (await send(path, query, own)).text();
    reading.mockRestore();
    return { text, rows };
  }

  test("but not those that fit", async () => {
    const { text, rows } = await read("/api/authors?populate=articles");
    expect(text).toContain('"data":[{');
    expect(rows).toBe(ARTICLES);
  });

  for (const [name, request] of Object.entries(requests)) {
    test(name, async () => {
      // the second time, what was learned about the fields applies
      for (const round of [1, 2]) {
        const { text, rows } = await read(...request);
        expect([round, text]).toEqual([round, expect.stringContaining("limits.values")]);
        // levels of 1,000 rows may be loaded, by a prepared read and once more
        expect(rows).toBeLessThanOrEqual(2_000);
      }
    }, 120_000);
  }
});

test("many fields with the same response key are refused with the limit", async () => {
  const { body } = await app.call("POST", "/graphql", {
    query: `{ authors { ${times(380, () => "articles { author { name } }")} } }`,
  });
  expect(body.errors[0].message).toBe("The operation selects more than 50000 pairs of fields with the same name");
});
