/** The code that `request` writes is run, in a process of its own, and answers what the tool has shown. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configFile, typeFile } from "../../project.ts";
import { type Agent, createAgent } from "./agent.ts";

const UID = "api::note.note";
const TEXT = `it's "quoted" \`\${x}\``;
let agent: Agent;
let documentId: string;
beforeAll(async () => {
  agent = await createAgent({
    ...typeFile("note", {
      text: { type: "string" },
      tags: { type: "relation", relation: "oneToMany", target: "api::tag.tag" },
    }),
    ...typeFile("tag", { label: { type: "string" } }),
    ...typeFile("home", { title: { type: "string" } }, { kind: "singleType" }),
    ...configFile({
      tokens: [{ name: "admin", type: "admin", key: "test-admin-token" }],
      roles: { public: ["api::note.note.*", "api::tag.tag.*", "api::home.home.*"] },
    }),
  });
  symlinkSync(join(import.meta.dir, "../../../node_modules"), join(agent.root, "node_modules"));
  const { documentIds } = await agent.use("content_create", { uid: "api::tag.tag", documents: [{ label: "a" }] });
  const documents = [{ text: TEXT, tags: documentIds }, { text: "other" }];
  [documentId] = (await agent.use("content_create", { uid: UID, documents })).documentIds;
  await agent.use("content_create", { uid: "api::home.home", documents: [{ title: "home" }] });
});
afterAll(() => agent.close());

const wishes = {
  "a list": { uid: UID, fields: ["text"], populate: ["tags"], sort: "text:desc", limit: 1 },
  "a filter with quotes": { uid: UID, filters: { text: { $contains: TEXT } } },
  "a document": { uid: UID, documentId: "", populate: ["tags"] },
  "a single type": { uid: "api::home.home" },
};
const cases = Object.entries(wishes).flatMap(([name, wish]) =>
  (["fetch", "@strapi/client"] as const).map((library) => [name, library, wish] as const),
);
test.each(cases)("%s with %s", async (_name, library, wish) => {
  const args = "documentId" in wish ? { ...wish, documentId } : wish;
  const { code, status, problems, example } = await agent.use("request", { ...args, library });
  expect([status, problems]).toEqual([200, []]);
  const file = join(agent.root, `snippet-${Bun.hash(code)}.ts`);
  writeFileSync(file, `${code}\nconsole.log(JSON.stringify(data));\n`);
  const env = { ...process.env, STRAPI_URL: agent.galley.serve() };
  const child = Bun.spawn([process.execPath, file], { env, stdout: "pipe", stderr: "pipe" });
  const data = JSON.parse((await new Response(child.stdout).text()) || "null");
  expect(Array.isArray(data) ? data[0] : data).toEqual(example);
});
