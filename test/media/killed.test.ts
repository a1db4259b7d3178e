/** A server that is killed in the middle of uploads leaves neither a record without its files nor a file without its record. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../src/query/key-check.ts";
import { until } from "../until.ts";
import { copyProject } from "./library.ts";
import { killServers, type Running, startServer } from "./process.ts";
import { gifOf, jpegOf } from "./samples.ts";

const ROUNDS = 30;
const CLIENTS = 6;

const headers = { Authorization: "Bearer full" };
let root: string;
let contents: { readonly name: string; readonly bytes: Uint8Array }[];

beforeAll(async () => {
  root = copyProject();
  contents = [
    { name: "a.txt", bytes: Buffer.from("hello") },
    { name: "b.jpg", bytes: await jpegOf({ width: 600, height: 400 }) },
    { name: "c.gif", bytes: gifOf({ width: 260, height: 20 }, 2) },
    { name: "d.bin", bytes: crypto.getRandomValues(new Uint8Array(60_000)) },
  ];
});
afterAll(killServers);
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface FileRecord {
  readonly id: number;
  readonly url: string;
  readonly formats: Readonly<Record<string, { readonly url: string }>> | null;
}

const list = async ({ url }: Running): Promise<FileRecord[]> =>
  (await (await fetch(`${url}/api/upload/files?sort=id`, { headers })).json()) as FileRecord[];

/** Ids that the server has said are stored, or are gone. */
const stored = new Set<number>();
const removed = new Set<number>();
/** How many uploads of new files were answered. */
let acknowledged = 0;

/** What one client does until the server is gone: new files, other contents, and removals. */
async function work({ url }: Running, client: number): Promise<void> {
  const own: number[] = [];
  for (let step = client; ; step++) {
    const { name, bytes } = contents[step % contents.length] ?? { name: "", bytes: Buffer.alloc(0) };
    const form = new FormData();
    form.append("files", new File([bytes as never], name));
    const [id] = own;
    if (id !== undefined && step % 5 === 4) {
      own.shift();
      // a removal that is not answered may have happened or not
      stored.delete(id);
      const response = await fetch(`${url}/api/upload/files/${id}`, { method: "DELETE", headers });
      if (response.ok) removed.add(id);
      continue;
    }
    const replaces = id !== undefined && step % 5 === 2;
    const path = replaces ? `/api/upload?id=${id}` : "/api/upload";
    const response = await fetch(url + path, { method: "POST", body: form, headers });
    const answer: unknown = await response.json();
    const first = Array.isArray(answer) ? answer[0] : answer;
    if (!response.ok || !isRecord(first)) throw new Error(JSON.stringify(answer));
    if (replaces) continue;
    own.push(first.id as number);
    stored.add(first.id as number);
    acknowledged++;
  }
}

const names = (record: FileRecord): string[] =>
  [record, ...Object.values(record.formats ?? {})].map(({ url }) => url.slice("/uploads/".length));

test(
  "thirty kills during uploads",
  async () => {
    let killedInside = 0;
    const uploads = join(root, "public/uploads");
    const unfinished = join(uploads, ".galley");
    for (let round = 0; round <= ROUNDS; round++) {
      if (existsSync(unfinished) && readdirSync(unfinished).length > 0) killedInside++;
      const server = await startServer(root);
      const records = await list(server);
      const files = existsSync(uploads) ? readdirSync(uploads).filter((name) => name !== ".galley") : [];
      expect(records.flatMap(names).sort()).toEqual(files.sort());
      const ids = new Set(records.map(({ id }) => id));
      expect([...stored].filter((id) => !ids.has(id))).toEqual([]);
      expect([...removed].filter((id) => ids.has(id))).toEqual([]);
      if (round > 0) expect(readdirSync(unfinished)).toEqual([]);
      if (round === ROUNDS) {
        await server.kill();
        break;
      }
      const clients = Promise.allSettled(Array.from({ length: CLIENTS }, (_, client) => work(server, client + round)));
      const before = acknowledged;
      await until("uploads are answered", () => acknowledged >= before + 2);
      await Bun.sleep((round * 37) % 160);
      await server.kill();
      for (const result of await clients) {
        // the connection broke, which is what the kill is for; anything else is a fault
        if (result.status === "rejected") expect(String(result.reason)).toMatch(/socket|connect|ECONN|closed/i);
      }
    }
    expect(killedInside).toBeGreaterThan(ROUNDS / 3);
  },
  { timeout: 120_000 },
);
