/** What configurations change of the page's forms and lists. */
import { expect, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { type FieldView as Field, readView, writeView } from "../../src/ui/views/view-form.ts";
import { type Body, componentFile, configFile, projectFolder, typeFile } from "../project.ts";
import { type Ask, openSignedIn } from "./signed-in.ts";

const POST = "api::post.post";
const PATH = `/content-manager/content-types/${POST}/configuration`;

let galley: Galley;
let ask: Ask;
openSignedIn(
  projectFolder({
    ...typeFile("post", {
      title: { type: "string", required: true },
      code: { type: "string" },
      text: { type: "text" },
      secret: { type: "password" },
      part: { type: "component", component: "page.part" },
    }),
    ...typeFile("tag", { name: { type: "string" } }),
    ...componentFile("page.part", { line: { type: "string" }, more: { type: "string" } }),
    ...configFile(),
  }),
  "a key for tests",
  (opened) => {
    ({ galley, ask } = opened);
  },
);

const NAMES = ["title", "code", "text", "secret", "part"];
const shown = async (uid: string): Promise<Body> => {
  const { data } = (await ask("GET", "/start")).body;
  return [...data.contentTypes, ...data.components].find((item) => item.uid === uid);
};
const configuration = async (): Promise<Body> => (await ask("GET", PATH)).body.data.contentType;
const store = async (change: (form: ReturnType<typeof readView>) => ReturnType<typeof readView>) => {
  const current = (await configuration()) as never;
  const before = readView(current, NAMES, (await shown(POST)).view?.cells !== undefined);
  const { status } = await ask("PUT", PATH, writeView(current, change(before), before));
  expect(status).toBe(200);
};

test("without a configuration, and with the default one, there is no view", async () => {
  expect((await shown(POST)).view).toBeUndefined();
  await store((form) => form);
  expect((await shown(POST)).view).toBeUndefined();
});

test("labels, hints, order, widths, hidden fields and the main field are stored as Strapi does, and shown", async () => {
  await store(({ fields }) => {
    const [title, code, text, secret, part] = fields as readonly [Field, Field, Field, Field, Field];
    return {
      mainField: "code",
      fields: [
        { ...code, label: "Number", hint: "Of the paper", size: 4 },
        { ...title, size: 8 },
        { ...text, isShown: false },
        secret,
        part,
      ],
    };
  });
  const { view, mainField } = await shown(POST);
  expect(mainField).toBe("code");
  expect(view).toEqual({
    labels: { code: "Number" },
    hints: { code: "Of the paper" },
    cells: [
      { name: "code", size: 4 },
      { name: "title", size: 8 },
      { name: "secret", size: 12 },
      { name: "part", size: 12 },
    ],
  });
  expect((await configuration()).layouts.edit).toEqual([
    [
      { name: "code", size: 4 },
      { name: "title", size: 8 },
    ],
    [{ name: "secret", size: 12 }],
    [{ name: "part", size: 12 }],
  ]);
  await galley.documents(POST).create({ data: { title: "A title", code: "A code" } });
  expect((await ask("GET", `/lists/${POST}`)).body.results[0].code).toBe("A code");
});

test("a secret does not name documents", async () => {
  const current = await configuration();
  const settings = { ...current.settings, mainField: "secret" };
  const form = readView(current as never, NAMES, true);
  const { status } = await ask("PUT", PATH, { ...writeView(current as never, form, form), settings });
  expect([400, 200]).toContain(status);
  expect((await shown(POST)).mainField).not.toBe("secret");
});

test("components have views of their own", async () => {
  const path = "/content-manager/components/page.part/configuration";
  const current = (await ask("GET", path)).body.data.component;
  const form = readView(current, ["line", "more"], false);
  const fields = form.fields.map((field) => ({ ...field, label: field.name === "line" ? "Sentence" : "" }));
  expect((await ask("PUT", path, writeView(current, { ...form, fields }, form))).status).toBe(200);
  expect((await shown("page.part")).view).toEqual({ labels: { line: "Sentence" }, hints: {} });
});
