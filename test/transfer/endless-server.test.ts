/** Servers that never come to an end: a pull from them ends by itself, with their URL and the limit, and leaves no files. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject } from "../../src/server/project/project.ts";
import { writeArchive } from "../../src/transfer/export/archive-writer.ts";
import { remoteAddress } from "../../src/transfer/remote/address.ts";
import { TransferChannel } from "../../src/transfer/remote/channel.ts";
import { pullInto } from "../../src/transfer/remote/pull.ts";
import { RestClient } from "../../src/transfer/remote/rest/client.ts";
import { pullOverRest } from "../../src/transfer/remote/rest/pull.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-endless-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let server: Bun.Server<undefined> | undefined;
afterEach(() => server?.stop(true));

const limits = { rows: 2_000, files: 300, records: 100_000, bytes: 5_000_000, "files at once": 20 };
const media = (id: number) => ({ id, name: "a", hash: `a_${id}`, ext: ".txt", url: `/uploads/a_${id}.txt` });
const pageAfter = <T>(url: string, make: (id: number) => T): T[] => {
  const last = Number(new URL(url).searchParams.get("filters[id][$gt]") ?? 0);
  return Array.from({ length: 100 }, (_, index) => make(last + index + 1));
};
const document = (id: number) => ({ id, documentId: `d${id}`, title: "a" });

type Answer = (url: string) => unknown;
const overRest: Readonly<Record<string, readonly [answer: Answer, message: string]>> = {
  documents: [(url) => ({ data: url.includes("/posts") ? pageAfter(url, document) : [] }), "sends more than 2000 rows"],
  "media files": [
    (url) => (url.includes("/upload/files") ? pageAfter(url, media) : { data: [] }),
    "sends more than 300 media files",
  ],
  "records of media files": [
    (url) =>
      url.includes("/upload/files")
        ? pageAfter(url, (id) => ({ ...media(id), caption: "a".repeat(2_000) }))
        : { data: [] },
    "sends more than 100000 characters of records of media files",
  ],
  bytes: [
    (url) =>
      url.includes("/posts") ? { data: pageAfter(url, (id) => ({ ...document(id), title: "a".repeat(5_000) })) } : [],
    "sends more than 5000000 bytes",
  ],
};
for (const [name, [answer, message]] of Object.entries(overRest)) {
  test(`over REST: ${name}`, async () => {
    const project = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }) });
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ({ url }) => Response.json(answer(url)) });
    const { model, schema, close } = openProject(project.root, { memory: true, publicRead: false, environment: {} });
    const temporaryFolder = mkdtempSync(join(folder, "scratch-"));
    const client = new RestClient(`http://127.0.0.1:${server.port}`, { prefix: "/api", token: "t", limits });
    const pulling = writeArchive({ file: join(folder, "rest.tar") }, (writer) =>
      pullOverRest(writer, { client, model, schema, since: undefined, temporaryFolder }),
    );
    await expect(pulling).rejects.toThrow(`${client.root}: ${message}`);
    await close();
    project.remove();
  });
}

/** What a frame of a stage holds, over and over again. */
const stages: Readonly<Record<string, readonly [stage: string, rows: (at: number) => unknown, message: string]>> = {
  rows: [
    "entities",
    () => Array.from({ length: 100 }, () => ({ type: "a", id: 1, data: {} })),
    "sends more than 2000 rows",
  ],
  "media files that do not end": [
    "assets",
    (at) => [{ action: "start", assetID: `a${at}`, data: { metadata: { hash: `a${at}` } } }],
    "sends more than 20 media files at once",
  ],
  "media files": [
    "assets",
    (at) => [
      { action: "start", assetID: `a${at}`, data: { metadata: { hash: `a${at}` } } },
      { action: "end", assetID: `a${at}` },
    ],
    "sends more than 300 media files",
  ],
  "a file announced again": [
    "assets",
    () => [{ action: "start", assetID: "a", data: { metadata: { hash: "a" } } }],
    "sent a media file that it is sending already",
  ],
  "one media file": [
    "assets",
    (at) => [
      at === 0
        ? { action: "start", assetID: "a", data: { metadata: { hash: "a" } } }
        : { action: "stream", assetID: "a", encoding: "base64", data: Buffer.alloc(100_000).toString("base64") },
    ],
    "sends more than 5000000 bytes",
  ],
};
for (const [name, [stage, rows, message]] of Object.entries(stages)) {
  test(`as a transfer: ${name}`, async () => {
    let at = 0;
    let current = "";
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request, self) => (self.upgrade(request) ? undefined : new Response("no")),
      websocket: {
        message: (socket, text) => {
          const send = (message: object): void => void socket.send(JSON.stringify(message));
          const { uuid, kind, action, step, ...rest } = JSON.parse(String(text));
          const frame = (): void =>
            current === stage
              ? send({ uuid: crypto.randomUUID(), data: { data: rows(at++), ended: false } })
              : send({ uuid: crypto.randomUUID(), data: { ended: true } });
          // the answer to a frame has nothing but its id
          if (kind === undefined && rest.type === undefined) return current === stage ? frame() : undefined;
          send({ uuid, data: action === "getSchemas" || action === "getMetadata" ? {} : { transferID: "t" } });
          if (kind === "step" && action === "start") {
            current = step;
            frame();
          }
        },
      },
    });
    const temporaryFolder = join(folder, "media");
    const address = remoteAddress(`http://127.0.0.1:${server.port}/admin`);
    const pulling = writeArchive({ file: join(folder, "transfer.tar") }, (writer) =>
      pullInto(writer, address, { token: "t", temporaryFolder, limits }),
    );
    await expect(pulling).rejects.toThrow(message);
    expect(readdirSync(folder).filter((file) => !file.startsWith("scratch-"))).toEqual([]);
  }, 20_000);
}

test("as a transfer: a connection without a response", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const address = remoteAddress(`http://127.0.0.1:${silent.port}/admin`);
  await expect(TransferChannel.open(address, "push", "t", 100)).rejects.toThrow("cannot be reached");
  silent.stop(true);
});
