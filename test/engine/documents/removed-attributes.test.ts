/** While attributes are removed or have other types, every copy of a row keeps what they had: all versions have it once they are back. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isScalarTypeName, scalarTypes } from "../../../src/engine/attributes/index.ts";
import { createGalley, type Galley } from "../../../src/index.ts";
import { type Body, componentFile, configFile, projectFolder, relation, typeFile, writeFiles } from "../../project.ts";
import { fixtures } from "../attributes/fixtures.ts";

const DRAFTS = { draftAndPublish: true };
const UID = "api::page.page";
const scalars = Object.keys(scalarTypes).filter(isScalarTypeName);
const optionsOf = (type: string): object => (type === "enumeration" ? { enum: ["one", "two"] } : {});
/** Values of a uid are unique, so that only the documents have some. */
const scalarNames = scalars.filter((type) => !fixtures[type].secret && type !== "uid");
const UID_ATTRIBUTE = { a_uid: { type: "uid" } };

const nameOf = (type: string): string => `a_${type}`;
const scalarAttributes = Object.fromEntries(
  scalarNames.map((type) => [nameOf(type), { type, ...fixtures[type].options, ...optionsOf(type) }]),
);
/** Other types for the same attributes. */
const otherScalars = Object.fromEntries(
  scalarNames.map((type) => [nameOf(type), { type: type === "string" ? "text" : "string" }]),
);
const component = (uid: string, repeatable = false) => ({ type: "component", component: uid, repeatable });
const zone = { type: "dynamiczone", components: ["parts.box", "parts.gone"] };

const links = {
  one: relation("manyToOne", "person"),
  many: relation("manyToMany", "person"),
  owned: relation("oneToMany", "person"),
  lost: relation("oneToOne", "lost"),
  mixed: { type: "relation", relation: "morphToMany" },
  file: { type: "media", multiple: false },
};
const otherLinks = {
  one: relation("manyToOne", "place"),
  many: relation("manyToMany", "place"),
  owned: { type: "string" },
  lost: { type: "json" },
  mixed: relation("oneToMany", "place"),
  file: { type: "string" },
};
/** Relations that their target has, too. */
const sided = {
  both: { ...relation("manyToMany", "person"), inversedBy: "pages" },
  pair: { ...relation("oneToOne", "person"), inversedBy: "page" },
  parent: { ...relation("manyToOne", "person"), inversedBy: "children" },
};
const otherSided = { both: { type: "json" }, pair: relation("oneToOne", "place"), parent: { type: "string" } };
const otherSides = {
  pages: { ...relation("manyToMany", "page"), mappedBy: "both" },
  page: { ...relation("oneToOne", "page"), mappedBy: "pair" },
  children: { ...relation("oneToMany", "page"), mappedBy: "parent" },
};
const nested = {
  inner: component("parts.inner"),
  inners: component("parts.inner", true),
  gone: component("parts.gone"),
};
const otherNested = { inner: component("parts.other"), inners: { type: "json" }, gone: { type: "string" } };
const entries = { extra: component("parts.gone"), extras: component("parts.box", true), dropped: zone };
const otherEntries = {
  extra: component("parts.other"),
  extras: component("parts.other", true),
  dropped: { type: "text" },
};
/** Components that stay, and whose attributes do not. */
const kept = { box: component("parts.box"), boxes: component("parts.box", true), zone };

const OPTIONS = { ...DRAFTS, localized: true };
const common = {
  ...configFile({ locales: ["en", "fr"].map((code) => ({ code, isDefault: code === "en" })) }),
  ...typeFile("person", { name: { type: "string" } }, DRAFTS),
  ...typeFile("place", { name: { type: "string" } }, DRAFTS),
  ...componentFile("parts.other", { word: { type: "string" } }),
};
const title = { title: { type: "string", pluginOptions: { i18n: { localized: true } } } };
const withAll = {
  ...common,
  ...typeFile("lost", { name: { type: "string" } }, DRAFTS),
  ...typeFile("person", { name: { type: "string" }, ...otherSides }, DRAFTS),
  ...typeFile(
    "page",
    { ...title, ...UID_ATTRIBUTE, ...scalarAttributes, ...links, ...sided, ...entries, ...kept },
    OPTIONS,
  ),
  ...componentFile("parts.inner", { ...scalarAttributes, ...links }),
  ...componentFile("parts.box", { label: { type: "string" }, ...scalarAttributes, ...links, ...nested }),
  ...componentFile("parts.gone", { word: { type: "string" }, one: links.one, inner: component("parts.inner") }),
};
const withBox = (attributes: object) =>
  componentFile("parts.box", { label: { type: "string" }, ...attributes } as never);
const changes: Readonly<Record<string, { readonly files: Record<string, string>; readonly gone: readonly string[] }>> =
  {
    removed: {
      files: {
        ...common,
        ...typeFile("page", { ...title, ...kept, zone: { ...zone, components: ["parts.box"] } }, OPTIONS),
        ...withBox({}),
      },
      gone: ["src/api/lost", "src/components/parts/inner.json", "src/components/parts/gone.json"],
    },
    "of another type": {
      files: {
        ...withAll,
        ...typeFile("person", { name: { type: "string" } }, DRAFTS),
        ...typeFile(
          "page",
          { ...title, ...otherScalars, ...otherLinks, ...otherSided, ...otherEntries, ...kept } as never,
          OPTIONS,
        ),
        ...withBox({ ...otherScalars, ...otherLinks, ...otherNested }),
      },
      gone: [],
    },
  };

type Pages = ReturnType<Galley["documents"]>;
type Act = (pages: Pages, documentId: string) => Promise<unknown>;
/** Each returns the id of the document that has all values afterwards; by default the same. */
const acts: Readonly<Record<string, { readonly act: Act; readonly locales?: string[]; readonly isDraft?: true }>> = {
  publish: { act: (pages, documentId) => pages.publish({ documentId }) },
  "update with no data": {
    act: (pages, documentId) => pages.update({ documentId, data: {}, status: "published" } as never),
  },
  "publish twice": {
    act: async (pages, documentId) => {
      await pages.publish({ documentId });
      await pages.publish({ documentId });
    },
  },
  "discard the draft": { act: (pages, documentId) => pages.discardDraft({ documentId }) },
  "unpublish and publish": {
    act: async (pages, documentId) => {
      await pages.unpublish({ documentId });
      await pages.publish({ documentId });
    },
  },
  clone: {
    act: async (pages, documentId) => ((await pages.clone({ documentId })) as Body).documentId,
    isDraft: true,
  },
  "write another locale": {
    act: (pages, documentId) =>
      pages.update({ documentId, locale: "fr", data: { title: "fr" }, status: "published" } as never),
  },
};

const word = (type: string): unknown => (type === "enumeration" ? "one" : fixtures[type as "string"].accepted[0]![0]);
const scalarValues = Object.fromEntries(scalarNames.map((type) => [nameOf(type), word(type)]));
const populateLinks = {
  one: true,
  many: true,
  owned: true,
  lost: true,
  file: true,
  mixed: { on: { "api::person.person": true } },
};
const populateInner = { populate: populateLinks };
const populateGone = { populate: { one: true, inner: populateInner } };
const populateBox = { populate: { ...populateLinks, inner: populateInner, inners: populateInner, gone: populateGone } };
const populateZone = { on: { "parts.box": populateBox, "parts.gone": populateGone } };
const back = (name: string) => ({ populate: { [name]: { fields: ["title"] } } });
const populateSided = { both: back("pages"), pair: back("page"), parent: back("children") };
const populate = {
  ...populateLinks,
  ...populateSided,
  ...{ extra: populateGone, extras: populateBox, dropped: populateZone },
  ...{ box: populateBox, boxes: populateBox, zone: populateZone },
};

/** What differs between copies of a row. */
const IDENTITY = new Set(["id", "documentId", "createdAt", "updatedAt", "publishedAt", "locale", "title", "__type"]);
const values = (value: Body): Body =>
  Array.isArray(value)
    ? value.map(values)
    : value && typeof value === "object" && !(value instanceof Date)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => !IDENTITY.has(key))
            .map(([key, item]) => [key, key === "a_uid" ? typeof item : values(item)]),
        )
      : value;

async function upload(galley: Galley): Promise<number> {
  const form = new FormData();
  form.append("files", new File(["text"], "note.txt", { type: "text/plain" }));
  const headers = { authorization: "Bearer test-full-access" };
  const response = await galley.handle(
    new Request("http://localhost/api/upload", { method: "POST", body: form, headers }),
  );
  return ((await response.json()) as Body)[0].id;
}

async function make(galley: Galley, uid: string, name: string): Promise<string> {
  return (await galley.documents(uid).create({ data: { name }, status: "published" } as never)).documentId as string;
}

/** Targets that no other document has. */
async function ownTargets(galley: Galley) {
  const person = (name: string): Promise<string> => make(galley, "api::person.person", name);
  return { both: [await person("x"), await person("y")], pair: await person("z"), parent: await person("p") };
}

async function content(galley: Galley) {
  const [a, b, c] = [
    await make(galley, "api::person.person", "a"),
    await make(galley, "api::person.person", "b"),
    await make(galley, "api::person.person", "c"),
  ];
  const own = {
    ...scalarValues,
    ...{
      one: a,
      many: [a, b],
      owned: [c],
      lost: await make(galley, "api::lost.lost", "lost"),
      file: await upload(galley),
    },
    mixed: [{ __type: "api::person.person", documentId: b }],
  };
  const gone = { word: "gone", one: b, inner: own };
  const box = { label: "box", ...own, inner: own, inners: [own, own], gone };
  const inZone = [
    { __component: "parts.box", ...box },
    { __component: "parts.gone", ...gone },
  ];
  return {
    title: "en",
    ...own,
    extra: gone,
    extras: [box, box],
    dropped: inZone,
    box,
    boxes: [box, box],
    zone: inZone,
  };
}

/** Each component is a query of its own then. */
const hooks = Object.fromEntries(
  ["page/content-types/page"].map((path) => [
    `src/api/${path}/lifecycles.js`,
    "module.exports = { beforeCreate() {}, afterUpdate() {}, afterDelete() {} };",
  ]),
);
const cases = Object.entries(changes).flatMap(([name, change]) => [
  [name, "without hooks", {}, change] as const,
  [name, "with hooks", hooks, change] as const,
]);

describe.each(cases)("attributes that are %s, %s", (_, __, code, { files, gone }) => {
  const { root, remove } = projectFolder({ ...withAll, ...code });
  const open = () => createGalley({ project: root, memory: false, environment: {} });
  const ids = new Map<string, string>();
  const results = new Map<string, string>();
  let before: Body;
  let galley: Galley;
  let linksBefore: unknown;
  let linksAfter: unknown;
  const countLinks = (): unknown => {
    const db = new Database(join(root, ".galley/content.db"), { readonly: true });
    const [[links]] = db.query("SELECT count(*) FROM galley_links").values() as [[number]];
    const tables = ["components_parts_inner", "components_parts_box", "components_parts_gone"];
    const rows = tables.map((table) => db.query(`SELECT count(*) FROM "${table}"`).values()[0]![0]);
    db.close();
    return { links, rows };
  };

  beforeAll(async () => {
    galley = await open();
    const data = await content(galley);
    for (const [index, name] of Object.keys(acts).entries()) {
      const own = { ...data, ...(await ownTargets(galley)), a_uid: `uid-${index}` };
      const made = await galley.documents(UID).create({ data: own, status: "published" } as never);
      ids.set(name, made.documentId as string);
    }
    const targets = await ownTargets(galley);
    linksBefore = countLinks();
    const deleted = await galley
      .documents(UID)
      .create({ data: { ...data, ...targets, a_uid: "deleted" }, status: "published" } as never);
    const last = { documentId: [...ids.values()].at(-1)!, status: "published", populate };
    before = values(await galley.documents(UID).findOne(last as never));
    await galley.close();
    writeFiles(root, files);
    for (const path of gone) rmSync(join(root, path), { recursive: true });
    galley = await open();
    await galley.documents(UID).delete({ documentId: deleted.documentId as string });
    linksAfter = countLinks();
    for (const [name, { act }] of Object.entries(acts)) {
      const result = await act(galley.documents(UID), ids.get(name)!);
      results.set(name, typeof result === "string" ? result : ids.get(name)!);
    }
    await galley.close();
    writeFiles(root, withAll);
    galley = await open();
  }, 120_000);
  afterAll(async () => {
    await galley.close();
    remove();
  });

  test("were written", () => {
    for (const name of [...Object.keys(scalarValues), ...Object.keys(populate)])
      expect({ name, has: before[name] ?? null }).not.toEqual({ name, has: null });
  });

  test("go with their document", () => expect(linksAfter).toEqual(linksBefore));

  const versions = (["draft", "published"] as const).flatMap((status) =>
    Object.keys(acts).map((name) => [name, status] as const),
  );
  test.each(versions.filter(([name, status]) => status === "draft" || !acts[name]!.isDraft))(
    "%s: the %s version",
    async (name, status) => {
      const query = { documentId: results.get(name)!, status, populate };
      const found = values(await galley.documents(UID).findOne(query as never));
      // the other sides of a clone's targets have the original as well
      const isBoth = (key: string): boolean => acts[name]!.isDraft === true && Object.hasOwn(sided, key);
      const shown = (key: string, value: Body): Body =>
        isBoth(key) ? [value].flat().map((item) => item?.name) : value;
      for (const key of Object.keys(before))
        expect({ key, value: shown(key, found[key]) }).toEqual({ key, value: shown(key, before[key]) });
    },
  );

  test.each(["draft", "published"])("another locale shares values: the %s version", async (status) => {
    const query = { documentId: results.get("write another locale")!, locale: "fr", status, populate };
    const found = values(await galley.documents(UID).findOne(query as never));
    for (const type of scalarNames) {
      const key = nameOf(type);
      expect({ key, value: found[key] }).toEqual({ key, value: before[key] });
    }
    for (const key of ["file", "extra", "extras", "dropped", "box", "boxes", "zone"])
      expect({ key, value: found[key] }).toEqual({ key, value: before[key] });
  });
});
