/** The schema follows the model: a project that is reloaded has the fields of its new files. */
import { afterAll, expect, test } from "bun:test";
import { runProject } from "../../../src/server/running.ts";
import { ADMIN, configFile, projectFolder, typeFile, writeFiles } from "../../project.ts";
import { asker } from "./ask.ts";

const note = (attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => typeFile("note", attributes);
const { root, remove } = projectFolder({ ...configFile(), ...note({ text: { type: "string" } }) });
const running = await runProject(root, {
  memory: true,
  publicRead: false,
  environment: {},
  watch: false,
  report: () => {},
});
afterAll(() => {
  running.close();
  remove();
});

const ask = asker(running);
const fields = async (): Promise<unknown> =>
  (await ask('{ __type(name: "Note") { fields { name } } }', {}, ADMIN)).body;

test("a reload replaces the schema, and files that cannot be served leave it as it is", async () => {
  expect((await ask('mutation { createNote(data: {text: "kept"}) { text } }', {}, ADMIN)).status).toBe(200);
  expect(JSON.stringify(await fields())).not.toContain('"extra"');
  writeFiles(root, note({ text: { type: "string" }, extra: { type: "integer", default: 7 } }));
  expect(await running.reload()).toBe(true);
  expect(JSON.stringify(await fields())).toContain('"extra"');
  const query = "{ notes { text extra } }";
  expect((await ask(query, {}, ADMIN)).body).toEqual({ data: { notes: [{ text: "kept", extra: null }] } });
  writeFiles(root, note({ text: { type: "no such type" } }));
  expect(await running.reload()).toBe(false);
  expect((await ask(query, {}, ADMIN)).body).toEqual({ data: { notes: [{ text: "kept", extra: null }] } });
});
