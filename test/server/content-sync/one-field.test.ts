/** One field that is edited on the page is one file and three changed lines at most, for every attribute type. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fixtures } from "../../engine/attributes/fixtures.ts";
import { componentFile, relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const text = { type: "string" };
const localized = (definition: object) => ({ ...definition, pluginOptions: { i18n: { localized: true } } });
const paragraph = (words: string) => ({ type: "paragraph", children: [{ type: "text", text: words }] });
const lines = (changed: string) => ["One", "", changed, "", "- four", ""].join("\n");
const card = (name: string) => ({ __component: "part.card", name, note: "Same" });

interface Case {
  readonly definition: object;
  readonly before: unknown;
  readonly after: unknown;
}

const scalars = Object.fromEntries(
  Object.entries(fixtures)
    .filter(([, { secret }]) => !secret)
    .map(([type, { options, accepted, ordered }]): [string, Case] => {
      const [before, after] = ordered ?? accepted.map(([sent]) => sent);
      return [type, { definition: { type, ...options }, before, after }];
    }),
);

const cases: Readonly<Record<string, Case>> = {
  ...scalars,
  boolean: { definition: { type: "boolean" }, before: true, after: false },
  blocks: {
    definition: { type: "blocks" },
    before: [paragraph("a"), paragraph("b"), paragraph("c")],
    after: [paragraph("a"), paragraph("changed"), paragraph("c")],
  },
  json: { definition: { type: "json" }, before: { a: [1, 2], b: { c: 1 } }, after: { a: [1, 2], b: { c: 2 } } },
  longText: { definition: { type: "text" }, before: lines("two"), after: lines("three") },
  body: { definition: { type: "richtext" }, before: lines("two"), after: lines("three") },
  component: {
    definition: { type: "component", component: "part.card" },
    before: { name: "a", note: "Same" },
    after: { name: "b", note: "Same" },
  },
  repeatable: {
    definition: { type: "component", component: "part.card", repeatable: true },
    before: [{ name: "a" }, { name: "b", note: "Same" }, { name: "c" }],
    after: [{ name: "a" }, { name: "changed", note: "Same" }, { name: "c" }],
  },
  zone: {
    definition: { type: "dynamiczone", components: ["part.card"] },
    before: [card("a"), card("b")],
    after: [card("a"), card("changed")],
  },
  toOne: { definition: relation("manyToOne", "tag"), before: "a", after: "b" },
  toMany: { definition: relation("manyToMany", "tag"), before: ["a", "b"], after: ["a", "c", "b"] },
  image: { definition: { type: "media" }, before: 1, after: 2 },
  gallery: { definition: { type: "media", multiple: true }, before: [1, 2], after: [2] },
};

const MANY = new Set(["toOne", "toMany"]);

/** Lines that a text does not have in common with another, in order. */
function changedLines(before: string, after: string): number {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i]![j] =
        old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return Math.max(old.length, now.length) - lengths[0]![0]!;
}

const FOLDERS = ["tags", "media", ...Object.keys(cases).map((name) => `${name.toLowerCase()}s`)];

const textsOf = (project: SyncedProject): Map<string, string> =>
  new Map(
    FOLDERS.filter((folder) => project.exists(folder)).flatMap((folder) =>
      project.list(folder).map((name) => [`${folder}/${name}`, project.read(`${folder}/${name}`)]),
    ),
  );

/** Returns what an edit changed: numbers of lines by file. */
async function changesOf(project: SyncedProject, edit: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = textsOf(project);
  // times are of milliseconds
  await Bun.sleep(2);
  await edit();
  await project.sync();
  const changes = [...textsOf(project)].map(
    ([path, after]) => [path, changedLines(before.get(path) ?? "", after)] as const,
  );
  return Object.fromEntries(changes.filter(([, count]) => count > 0));
}

interface Variant {
  readonly isLocalized: boolean;
  readonly hasOther: boolean;
}

const variants: Readonly<Record<string, Variant>> = {
  localized: { isLocalized: true, hasOther: true },
  "shared by locales": { isLocalized: false, hasOther: true },
  "of a document with one locale": { isLocalized: false, hasOther: false },
};

/** A type for each case, with a document. */
async function prepare({ isLocalized, hasOther }: Variant) {
  const types = Object.entries(cases).map(([name, { definition }]) => {
    const value = isLocalized ? localized(definition) : definition;
    const attributes = { title: localized(text), value, other: text } as Parameters<typeof typeFile>[1];
    return typeFile(name.toLowerCase(), attributes, { draftAndPublish: true, localized: true });
  });
  const parts = componentFile("part.card", { name: text, note: text });
  const project = new SyncedProject(Object.assign({}, ...types, parts, typeFile("tag", { label: text })));
  const tags = new Map<unknown, string>();
  for (const label of ["a", "b", "c"]) tags.set(label, await project.create("tag", { label }));
  for (const file of ["one", "two"]) await project.addMedia(`${file}.txt`);
  const asSent = (name: string, value: unknown): unknown =>
    !MANY.has(name) ? value : Array.isArray(value) ? value.map((label) => tags.get(label)) : tags.get(value);
  const ids: Record<string, string> = {};
  for (const [name, { before }] of Object.entries(cases)) {
    const type = name.toLowerCase();
    const value = asSent(name, before);
    const id = await project.create(type, { title: "One", value, other: "Same" }, { status: "published" });
    const german = { title: "Eins", ...(isLocalized ? { value } : {}) };
    if (hasOther) await project.update(type, id, german, { locale: "de", status: "published" });
    ids[name] = id;
  }
  await project.sync();
  return { project, asSent, ids };
}

describe.each(Object.entries(variants))("%s", (_, variant) => {
  let prepared: Awaited<ReturnType<typeof prepare>>;
  beforeAll(async () => {
    prepared = await prepare(variant);
  });
  afterAll(() => prepared.project[Symbol.asyncDispose]());

  test.each(Object.entries(cases))("%s", async (name, { before, after }) => {
    const { project, asSent, ids } = prepared;
    const type = name.toLowerCase();
    const path = `${type}s/${project.list(`${type}s`)[0]}`;
    const save = (value: unknown, status: "draft" | "published") => () =>
      project.save(type, ids[name]!, { value: asSent(name, value) }, status);
    const expectFew = (changes: Record<string, number>): void => {
      expect(Object.keys(changes)).toEqual([path]);
      expect(changes[path]).toBeLessThanOrEqual(3);
    };

    // the value, the time, and what is still published
    expectFew(await changesOf(project, save(after, "draft")));
    expectFew(await changesOf(project, save(after, "published")));
    // the value, the time, and what another locale has published of what they share
    expectFew(await changesOf(project, save(before, "published")));
    expectFew(await changesOf(project, save(after, "published")));
  });
});
