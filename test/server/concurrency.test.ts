/** Many clients that write one document at the same time: each write is whole, none fails, and some order explains the end. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN, componentFile, type TestApp, testApp, typeFile } from "../project.ts";

const CLIENTS = 16;
const SECONDS = 5;
/** Of each client, also where the machine is too slow for that in the time. */
const MIN_WRITES = 11;
let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await testApp({
    ...componentFile("part.row", { name: { type: "string" } }),
    ...typeFile("tag", { label: { type: "string" } }),
    ...typeFile(
      "post",
      {
        writer: { type: "string" },
        copy: { type: "string" },
        count: { type: "integer" },
        rows: { type: "component", component: "part.row", repeatable: true },
        tags: { type: "relation", relation: "manyToMany", target: "api::tag.tag" },
      },
      { draftAndPublish: true },
    ),
  });
  url = app.serve();
});
afterAll(() => app.close());

async function send(method: string, path: string, data?: unknown) {
  const body = data === undefined ? {} : { body: JSON.stringify({ data }) };
  const response = await fetch(url + path, {
    method,
    headers: { ...ADMIN, "content-type": "application/json" },
    ...body,
  });
  return { status: response.status, body: (await response.json()) as { data: Record<string, never> } };
}

test(
  `${CLIENTS} clients for ${SECONDS} s`,
  async () => {
    const tags = await Promise.all(
      Array.from(
        { length: CLIENTS },
        async (_, i) => (await send("POST", "/api/tags", { label: `c${i}` })).body.data.documentId,
      ),
    );
    const { documentId } = (await send("POST", "/api/posts", {})).body.data;
    const written = new Set<string>();
    const statuses = new Set<number>();
    const end = performance.now() + SECONDS * 1000;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      let last = "";
      for (let count = 0; performance.now() < end || count < MIN_WRITES; count++) {
        last = `${client}/${count}`;
        const status = count % 3 === 0 ? "?status=draft" : "";
        const data = { writer: last, copy: last, count, rows: [{ name: last }, { name: last }], tags: [tags[client]] };
        const answer = await send("PUT", `/api/posts/${documentId}${status}`, data);
        statuses.add(answer.status);
        written.add(last);
      }
      return last;
    });
    const lasts = await Promise.all(clients);
    expect([...statuses]).toEqual([200]);
    expect(written.size).toBeGreaterThan(CLIENTS * 10);
    for (const status of ["draft", "published"]) {
      const { data } = (await send("GET", `/api/posts/${documentId}?populate=*&status=${status}`)).body as {
        data: Record<string, unknown>;
      };
      const writer = data.writer as string;
      const [client, count] = writer.split("/").map(Number) as [number, number];
      // the parts of the document come from one write, which somebody made
      expect(written.has(writer)).toBe(true);
      expect(data).toMatchObject({
        copy: writer,
        count,
        rows: [{ name: writer }, { name: writer }],
        tags: [{ label: `c${client}` }],
      });
      // the draft is the last write of all, and so the last write of its client
      if (status === "draft") expect(lasts[client]).toBe(writer);
    }
    const { count: left } = app.database().query("SELECT count(*) AS count FROM components_part_row").get() as {
      count: number;
    };
    expect(left).toBe(4);
  },
  SECONDS * 1000 + 20_000,
);
