import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEntries } from "../../src/transfer/archive/entries.ts";
import { readLines } from "../../src/transfer/archive/lines.ts";
import { writeArchive } from "../../src/transfer/export/archive-writer.ts";
import { remoteAddress } from "../../src/transfer/remote/address.ts";
import { pullInto } from "../../src/transfer/remote/pull.ts";
import { Selection, type SelectionOptions } from "../../src/transfer/selection.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-transfer-pull-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [POST, TAG] = ["api::post.post", "api::tag.tag"];
const stages: Readonly<Record<string, readonly object[]>> = {
  entities: [
    { type: POST, id: 1, data: {} },
    { type: TAG, id: 1, data: {} },
  ],
  links: [
    { kind: "relation.basic", left: { type: POST, ref: 1, field: "tags" }, right: { type: TAG, ref: 1 } },
    { kind: "relation.circular", left: { type: POST, ref: 1, field: "related" }, right: { type: POST, ref: 1 } },
  ],
  assets: [],
  configuration: [{ type: "core-store", value: { key: "a", value: "b", type: "string" } }],
};

/** Pulls from a server with the protocol of Strapi's transfers; returns what it asked for, and the rows in the archive. */
async function pulled(name: string, options: SelectionOptions, frameData = (rows: readonly object[]): unknown => rows) {
  const asked: string[] = [];
  /** Whether the end of a stage is still to be sent. */
  let isOpen = false;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response("no")),
    websocket: {
      message: (socket, text) => {
        const send = (message: object): void => void socket.send(JSON.stringify(message));
        const { uuid, kind, action, step, type } = JSON.parse(String(text));
        const frame = (data: object): void => send({ uuid: crypto.randomUUID(), data });
        // the answer to a frame has nothing but its id
        if (kind === undefined && type === undefined) {
          if (isOpen) frame({ ended: true });
          isOpen = false;
          return;
        }
        send({ uuid, data: action === "getSchemas" || action === "getMetadata" ? {} : { transferID: "t" } });
        if (kind !== "step" || action !== "start") return;
        asked.push(step);
        isOpen = true;
        frame({ data: frameData(stages[step]!), ended: false });
      },
    },
  });
  const file = join(folder, `${name}.tar`);
  const selection = new Selection(options);
  const address = remoteAddress(`http://127.0.0.1:${server.port}/admin`);
  const temporaryFolder = join(folder, "media");
  await writeArchive({ file }, (writer) =>
    pullInto(writer, address, { token: "t", selection, temporaryFolder }),
  ).finally(() => server.stop(true));
  const rows: unknown[] = [];
  for await (const { parsedPath, path, content } of readEntries({ file })) {
    if (parsedPath.kind !== "rows") continue;
    for await (const { value } of readLines(path, content, (problem) => new Error(problem) as never)) rows.push(value);
  }
  return { asked, rows };
}

test("a pull copies everything", async () => {
  const { asked, rows } = await pulled("all", {});
  expect(asked).toEqual(["entities", "assets", "links", "configuration"]);
  expect(rows).toEqual(["entities", "links", "configuration"].flatMap((stage) => stages[stage]!));
});

test("a pull asks for the stages that are selected, and keeps rows of types that are", async () => {
  expect(await pulled("config", { only: ["config"] })).toEqual({
    asked: ["configuration"],
    rows: [...stages.configuration!],
  });
  expect(await pulled("posts", { only: ["content"], excludeTypes: [TAG!] })).toEqual({
    asked: ["entities", "links"],
    rows: [stages.entities![0], stages.links![1]],
  });
});

test("a pull from a server that sends rows one by one, as Strapi 4.10, is refused", async () => {
  await expect(pulled("early", {}, ([row]) => row)).rejects.toThrow("in the form of an early Strapi 4");
});
