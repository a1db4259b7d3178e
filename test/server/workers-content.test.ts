/** Several processes that write to one database: what one has acknowledged every other one shows, and rules hold for all. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../scripts/build.ts";
import { FROM_SOURCE } from "../program.ts";
import { type Body, configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";
import { Server, WORKERS } from "./worker-server.ts";

const scratch = mkdtempSync(join(tmpdir(), "galley-workers-"));
/** The one that `scripts/test.ts` has made, or one of its own. */
const ready = process.env.GALLEY_EXECUTABLE;
const executable = ready ?? join(scratch, process.platform === "win32" ? "galley.exe" : "galley");
const programs = [
  { name: "from source", program: FROM_SOURCE },
  { name: "as an executable", program: [executable] },
];
const project = {
  ...configFile({
    roles: {
      public: ["plugin::users-permissions.auth.register"],
      authenticated: ["plugin::users-permissions.user.me"],
    },
  }),
  ...typeFile("post", { title: { type: "string" } }),
  ...typeFile("code", { text: { type: "string", unique: true } }),
  ...typeFile("page", { title: { type: "string" } }, { draftAndPublish: true }),
  ...typeFile("shelf", {
    label: { type: "string" },
    books: { type: "relation", relation: "manyToMany", target: "api::page.page" },
  }),
  ...typeFile("home", { title: { type: "string" } }, { kind: "singleType" }),
};

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const statuses = (answers: readonly { readonly status: number }[]): Record<number, number> =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([key, all]) => [key, all.length]),
  );

beforeAll(async () => {
  if (ready === undefined) await compile(executable);
}, 180_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.skipIf(process.platform !== "linux").each(programs)("workers $name", ({ program }) => {
  const { root, remove } = projectFolder(project);
  let server: Server;
  beforeAll(async () => {
    server = new Server(root, program);
    await server.started();
  });
  afterAll(async () => {
    await server.stop("SIGTERM");
    remove();
  });

  const make = async (path: string, data: object): Promise<Body> => {
    const { status, body } = await server.call("POST", path, { data });
    expect(status).toBe(201);
    return body.data;
  };

  test("what was written is read through every worker", async () => {
    const writer = async (name: number): Promise<string[]> => {
      const wrong: string[] = [];
      const check = (seen: unknown, wanted: unknown): void => {
        if (seen !== wanted) wrong.push(`${seen} instead of ${wanted}`);
      };
      for (const i of numbers(12)) {
        const title = `${name}-${i}`;
        const made = await server.call("POST", "/api/posts", { data: { title } });
        const path = `/api/posts/${made.body.data.documentId}`;
        const list = `/api/posts?filters[title][$startsWith]=${name}-`;
        const reads = await Promise.all([path, path, path].map((url) => server.call("GET", url)));
        for (const { body } of reads) check(body.data?.title, title);
        await server.call("PUT", path, { data: { title: `${title}-changed` } });
        const again = await Promise.all([path, path, path].map((url) => server.call("GET", url)));
        for (const { body } of again) check(body.data?.title, `${title}-changed`);
        const lists = await Promise.all([list, list, list].map((url) => server.call("GET", url)));
        for (const { body } of lists) check(body.meta.pagination.total, i + 1);
      }
      return wrong;
    };
    const wrong = await Promise.all([1, 2, 3, 4].map(writer));
    expect(wrong.flat()).toEqual([]);
    await until("all lines are there", () => server.answeredBy("POST /api/posts 201").size > 1);
    expect(server.answeredBy("GET /api/posts").size).toBe(WORKERS);
  }, 180_000);

  test("answers that every worker has kept go with another one's write, and so do their tags", async () => {
    const { documentId } = await make("/api/posts", { title: "kept 0" });
    const path = `/api/posts?filters[documentId]=${documentId}`;
    for (const round of numbers(8)) {
      // twice as often as it takes to be kept
      const kept = [...(await server.many("GET", path)), ...(await server.many("GET", path))];
      expect(new Set(kept.map(({ body }) => body.data[0].title))).toEqual(new Set([`kept ${round}`]));
      const etag = kept[0]?.headers.get("etag") ?? "";
      expect(
        statuses(await server.many("GET", path, { "if-none-match": etag, authorization: "" }))[304],
      ).toBeUndefined();
      const { status } = await server.call("PUT", `/api/posts/${documentId}`, { data: { title: `kept ${round + 1}` } });
      expect(status).toBe(200);
    }
  }, 30_000);

  test("writes at the same time wait for each other: none fails, none is lost, ids are all different", async () => {
    const answers = await Promise.all(
      numbers(300).map((i) => server.call("POST", "/api/posts", { data: { title: `busy ${i}` } })),
    );
    expect(statuses(answers)).toEqual({ 201: 300 });
    expect(new Set(answers.map(({ body }) => body.data.documentId)).size).toBe(300);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(300);
    const { body } = await server.call("GET", "/api/posts?filters[title][$startsWith]=busy&pagination[pageSize]=1");
    expect(body.meta.pagination.total).toBe(300);
  }, 30_000);

  test("a unique value is given once, whichever workers are asked for it", async () => {
    for (const round of numbers(10)) {
      const text = `only ${round}`;
      const answers = await Promise.all(numbers(10).map(() => server.call("POST", "/api/codes", { data: { text } })));
      expect(statuses(answers)).toEqual({ 201: 1, 400: 9 });
    }
  }, 30_000);

  test("two workers make one document of a single type", async () => {
    const answers = await Promise.all(
      numbers(12).map((i) => server.call("PUT", "/api/home", { data: { title: `${i}` } })),
    );
    expect(statuses(answers)).toEqual({ 200: 12 });
    expect(new Set(answers.map(({ body }) => body.data.documentId)).size).toBe(1);
  });

  test("a name is registered once, and who has it is known to every worker", async () => {
    const register = (i: number) =>
      server.call(
        "POST",
        "/api/auth/local/register",
        { username: "grace", email: `g${i}@example.org`, password: "long enough" },
        {},
      );
    const answers = await Promise.all(numbers(6).map(register));
    expect(statuses(answers)).toEqual({ 200: 1, 400: 5 });
    const jwt = answers.find(({ status }) => status === 200)?.body.jwt;
    expect(statuses(await server.many("GET", "/api/users/me", { authorization: `Bearer ${jwt}` }))).toEqual({
      200: 18,
    });
  });

  test("links that workers add at the same time are all there, once and in one order; later ones come after them", async () => {
    const pages = await Promise.all(numbers(24).map((i) => make("/api/pages?status=published", { title: `${i}` })));
    const ids = pages.map(({ documentId }) => documentId as string);
    const path = `/api/shelfs/${(await make("/api/shelfs", {})).documentId}`;
    const connect = (id: string) => server.call("PUT", path, { data: { books: { connect: [id] } } });
    const together = await Promise.all(ids.slice(0, 16).map(connect));
    expect(statuses(together)).toEqual({ 200: 16 });
    for (const id of ids.slice(16)) await connect(id);
    const orders = (await server.many("GET", `${path}?populate=books`)).map(({ body }) =>
      body.data.books.map((book: Body) => book.documentId),
    );
    for (const order of orders) expect(order).toEqual(orders[0]);
    expect(orders[0]?.toSorted()).toEqual(ids.toSorted());
    expect(orders[0]?.slice(16)).toEqual(ids.slice(16));
  }, 30_000);

  test("a list is read as it was at one moment, while another worker replaces its rows", async () => {
    const pages = await Promise.all(
      numbers(10).map((i) => make("/api/pages?status=published", { title: `moment ${i}` })),
    );
    const books = pages.map(({ documentId }) => documentId as string);
    const shelf = await make("/api/shelfs", { label: "moment", books });
    let writing = true;
    const write = async (): Promise<void> => {
      for (const round of numbers(8))
        for (const id of books) {
          const { status } = await server.call("PUT", `/api/pages/${id}?status=published`, {
            data: { title: `moment ${round}` },
          });
          expect(status).toBe(200);
        }
      writing = false;
    };
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      // another query each time, so that no kept answer helps
      for (let i = 0; writing; i++) {
        const list = await server.call("GET", `/api/pages?filters[title][$startsWith]=moment&filters[id][$gt]=-${i}`);
        seen.add(`${list.body.data.length} of ${list.body.meta.pagination.total}`);
        const { body } = await server.call(
          "GET",
          `/api/shelfs/${shelf.documentId}?populate[books][filters][id][$gt]=-${i}`,
        );
        seen.add(`${body.data.books.length} books`);
      }
    };
    await Promise.all([write(), read(), read(), read(), read()]);
    expect([...seen].toSorted()).toEqual(["10 books", "10 of 10"]);
  }, 180_000);

  test("a draft that is changed through another worker right after its publication counts as modified", async () => {
    const changed = async (i: number): Promise<void> => {
      const { documentId } = await make("/api/pages?status=published", { title: `draft ${i}` });
      const { status } = await server.call("PUT", `/api/pages/${documentId}?status=draft`, {
        data: { title: `changed ${i}` },
      });
      expect(status).toBe(200);
    };
    await Promise.all(numbers(100).map(changed));
    const list = "/api/pages?status=draft&filters[title][$startsWith]=changed&publicationFilter=modified";
    const { body } = await server.call("GET", list);
    expect(body.meta.pagination.total).toBe(100);
  }, 30_000);

  test("a token that the command line makes is valid for every worker, until it is revoked", async () => {
    const galley = (...args: string[]): string => {
      const { stdout, stderr, exitCode } = Bun.spawnSync([...program, ...args]);
      expect([exitCode, String(stderr)]).toEqual([0, ""]);
      return String(stdout);
    };
    const key = galley("token", "create", "visitor", root, "--type", "full-access").trim();
    expect(statuses(await server.many("GET", "/api/posts", { authorization: `Bearer ${key}` }))).toEqual({ 200: 18 });
    galley("token", "revoke", "visitor", root);
    expect(statuses(await server.many("GET", "/api/posts", { authorization: `Bearer ${key}` }))).toEqual({ 401: 18 });
  });

  test("nothing was told as an error in all this", () => {
    expect(server.errors).toBe("");
    expect(server.out).not.toMatch(/ 5\d\d \d/);
  });
});
