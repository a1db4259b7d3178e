/** The project of the walk, and the forms that its schema goes through: attributes are removed, get other types, and come back. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Body, componentFile, relation, typeFile, writeFiles } from "../../test/project.ts";
import type { Random } from "../../test/random.ts";

const TOKENS = { full: "walk-full-access", admin: "walk-admin" };
const createHeaders = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });
export const REST = createHeaders(TOKENS.full);
export const ADMIN = createHeaders(TOKENS.admin);

export const LOCALES = ["en", "fr"] as const;

type Definition = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, Definition>>;

const localized = { pluginOptions: { i18n: { localized: true } } };
const sided = (kind: string, inversedBy: string) => ({ ...relation(kind, "person"), inversedBy, ...localized });
const component = (uid: string, repeatable = false) => ({ type: "component", component: uid, repeatable });
const parts = ["parts.box", "parts.gone"];

/** For each attribute that may be removed: how it is at first, and another type. */
type Pair = readonly [full: Definition, other: Definition];

const page: Readonly<Record<string, Pair>> = {
  text: [{ type: "string" }, { type: "text" }],
  note: [
    { type: "string", ...localized },
    { type: "integer", ...localized },
  ],
  size: [{ type: "integer" }, { type: "string" }],
  price: [
    { type: "decimal", ...localized },
    { type: "boolean", ...localized },
  ],
  flag: [{ type: "boolean" }, { type: "string" }],
  big: [{ type: "biginteger" }, { type: "integer" }],
  data: [{ type: "json", ...localized }, { type: "text" }],
  at: [{ type: "datetime" }, { type: "date" }],
  kind: [{ type: "enumeration", enum: ["one", "two"] }, { type: "string" }],
  one: [{ ...relation("manyToOne", "person"), ...localized }, relation("manyToOne", "place")],
  many: [relation("manyToMany", "person"), { type: "json" }],
  owned: [{ ...relation("oneToMany", "person"), ...localized }, relation("manyToMany", "place")],
  both: [sided("manyToMany", "pages"), relation("manyToMany", "place")],
  pair: [sided("oneToOne", "page"), { type: "string" }],
  parent: [sided("manyToOne", "children"), { type: "json" }],
  mixed: [{ type: "relation", relation: "morphToMany" }, relation("manyToMany", "place")],
  file: [
    { type: "media", multiple: false, ...localized },
    { type: "media", multiple: true, ...localized },
  ],
  files: [{ type: "media", multiple: true }, { type: "string" }],
  box: [component("parts.box"), component("parts.box", true)],
  boxes: [{ ...component("parts.box", true), ...localized }, { type: "json" }],
  extra: [component("parts.gone"), component("parts.other")],
  zone: [
    { type: "dynamiczone", components: parts, ...localized },
    { type: "text", ...localized },
  ],
};
const box: Readonly<Record<string, Pair>> = {
  text: [{ type: "string" }, { type: "text" }],
  size: [{ type: "integer" }, { type: "string" }],
  one: [relation("manyToOne", "person"), { type: "string" }],
  many: [relation("manyToMany", "person"), relation("manyToMany", "place")],
  file: [{ type: "media", multiple: false }, { type: "json" }],
  inner: [component("parts.inner"), component("parts.other")],
  inners: [component("parts.inner", true), { type: "json" }],
};
const inner: Readonly<Record<string, Pair>> = {
  text: [{ type: "string" }, { type: "richtext" }],
  one: [relation("oneToOne", "person"), relation("oneToOne", "place")],
};
/** Relations whose targets have another side, and its name. */
const SIDES = { both: "pages", pair: "page", parent: "children" } as const;
const sides = { both: "manyToMany", pair: "oneToOne", parent: "oneToMany" } as const;

export const TABLES = { page, box, inner } as const;
type Table = keyof typeof TABLES;
const NAMES = Object.entries(TABLES).flatMap(([table, pairs]) =>
  Object.keys(pairs).map((name) => `${table}.${name}` as const),
);

/** Absent: as at first. */
export type Form = Readonly<Record<string, "removed" | "other">>;
export const FULL: Form = {};

/** A form with a few other changes. */
export function edited(form: Form, random: Random): Form {
  const next: Record<string, "removed" | "other"> = { ...form };
  for (let count = 1 + random.below(4); count > 0; count--) {
    const name = random.pick(NAMES);
    if (next[name] !== undefined && random.chance(0.6)) delete next[name];
    else next[name] = random.chance(0.5) ? "removed" : "other";
  }
  return next;
}

/** The attributes of a type or component in a form. */
export function createAttributes(table: Table, form: Form): Attributes {
  const entries = Object.entries(TABLES[table]).flatMap(([name, [full, other]]): [string, Definition][] => {
    const state = form[`${table}.${name}`];
    // a shared value would be that of the locale that was written last
    const { pluginOptions } = full;
    return state === "removed" ? [] : [[name, state === "other" ? { ...other, pluginOptions } : full]];
  });
  return Object.fromEntries(entries);
}

/** Whether any attribute has a component that may be missing. */
const usesGone = (attributes: Attributes): boolean =>
  Object.values(attributes).some((item) => item.component === "parts.gone" || item.type === "dynamiczone");

/** `step` is shown by the server, so that one can see which form it has. */
export function writeForm(root: string, form: Form, step: number): void {
  const attributes = createAttributes("page", form);
  const others = Object.entries(SIDES).flatMap(([name, back]): [string, Definition][] => {
    const isThere = form[`page.${name}`] === undefined;
    const kind = sides[name as keyof typeof SIDES];
    return isThere ? [[back, { ...relation(kind, "page"), mappedBy: name }]] : [];
  });
  const text = { type: "string" };
  const gone = componentFile("parts.gone", { word: text, one: relation("oneToOne", "person") });
  const hasGone = usesGone(attributes);
  if (!hasGone) for (const path of Object.keys(gone)) rmSync(join(root, path), { force: true });
  writeFiles(root, {
    ...(hasGone ? gone : {}),
    ...componentFile("parts.inner", { ...createAttributes("inner", form), word: text }),
    ...componentFile("parts.box", { ...createAttributes("box", form), label: text }),
    ...typeFile("person", { name: text, ...Object.fromEntries(others) }, { draftAndPublish: true }),
    ...withStep(
      typeFile("page", { title: { ...text, ...localized }, ...attributes }, { draftAndPublish: true, localized: true }),
      step,
    ),
  });
}

function withStep(files: Readonly<Record<string, string>>, step: number): Record<string, string> {
  const mark = (text: string): string => {
    const definition: Body = JSON.parse(text);
    return JSON.stringify({ ...definition, info: { ...definition.info, displayName: `Page ${step}` } });
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, mark(text)]));
}

export function writeProject(root: string): void {
  const tokens = [
    { name: "full", type: "full-access", key: TOKENS.full },
    { name: "admin", type: "admin", key: TOKENS.admin },
  ];
  const locales = LOCALES.map((code) => ({ code, isDefault: code === LOCALES[0] }));
  writeFiles(root, {
    "config/galley.json": JSON.stringify({ tokens, locales }),
    ...componentFile("parts.other", { word: { type: "string" } }),
    ...typeFile("place", { name: { type: "string" } }),
  });
  writeForm(root, FULL, 0);
}
