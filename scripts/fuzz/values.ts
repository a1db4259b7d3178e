/** Values that requests are put together from: mostly what an attribute takes, else anything. */
import type { Choices } from "./choices.ts";
import { COUNTS, components, types } from "./project.ts";

type Attribute = Readonly<Record<string, unknown>>;
export type TypeName = keyof typeof types;

/** As often as they are used. */
export const typeNames: readonly TypeName[] = ["post", "post", "post", "tag", "tag", "vault"];
export const modelOf = (type: string): string => `api::${type}.${type}`;

/** One of the documents that there are at the start, by a placeholder that a path or a body may contain. */
const chooseDocument = (random: Choices, type: string): string =>
  `@${type}-${random.below(COUNTS[type as keyof typeof COUNTS] ?? 1)}`;

/** For a path. */
export const chooseId = (random: Choices, type: string): string =>
  random.slips(0.5)
    ? random.pick([String(random.below(20)), encodeURIComponent(oddText(random).toWellFormed())])
    : chooseDocument(random, type);

const words = [
  "a",
  "Post 1",
  "tag 2",
  "red",
  "ada@example.com",
  "en",
  "de",
  "draft",
  "published",
  "*",
  "x".repeat(300),
];
const odd = [
  "",
  " ",
  "\0",
  "\u2028",
  "\ud800",
  "😀",
  "null",
  "true",
  "-0",
  "1e999",
  "NaN",
  "0x10",
  "%",
  "%00",
  "'\"`;--",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "toString",
  "$eq",
  "[object Object]",
  "<script>",
  "{{1}}",
  "\u001b[2J",
  "a\r\nb: c",
  "9".repeat(400),
  "2020-02-30",
  "2020-01-01T00:00:00.000Z",
  "25:61",
  "(a+)+$",
  `${"a".repeat(40)}!`,
  "a".repeat(5_000),
] as const;
/** Neither texts nor numbers can be made of them. */
const ODD_OBJECTS = [{ toString: 1, valueOf: 2 }, [{ toString: null }], { length: 5 }, { toJSON: 1 }] as const;
const numbers = [0, -0, 1, 2, 3, 10, -1, 0.5, 1e21, -1e308, 2 ** 31, 2 ** 53, 2 ** 63];

export const oddText = (random: Choices): string => (random.chance(0.5) ? random.pick(words) : random.pick(odd));

/** Anything that JSON can hold. */
export function anything(random: Choices, depth = 3): unknown {
  if (random.slips(0.02)) return random.pick(ODD_OBJECTS);
  const kind = random.below(depth > 0 ? 9 : 6);
  if (kind < 2) return oddText(random);
  if (kind < 4) return random.pick(numbers);
  if (kind === 4) return random.chance(0.5);
  if (kind === 5) return null;
  const size = random.chance(0.02) ? 200 : random.below(4);
  if (kind < 8) return Array.from({ length: size }, () => anything(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [chooseKey(random, "post"), anything(random, depth - 1)]),
  );
}

/** What requests read of the server's own types. */
const ownTypes = {
  file: { name: { type: "string" }, url: { type: "text" }, width: { type: "integer" }, related: { type: "relation" } },
  user: { username: { type: "string" }, email: { type: "email" }, confirmed: { type: "boolean" } },
};
const known: Readonly<Record<string, Readonly<Record<string, Attribute>>>> = { ...types, ...components, ...ownTypes };
const listAttributes = (type: string): Readonly<Record<string, Attribute>> => known[type] ?? types.post;

const system = [
  "id",
  "documentId",
  "createdAt",
  "updatedAt",
  "publishedAt",
  "locale",
  "createdBy",
  "localizations",
  "password",
  "role",
  "username",
  "__component",
  "__type",
];

export function chooseKey(random: Choices, type: string): string {
  if (!random.slips(0.06)) return random.pick(Object.keys(listAttributes(type)));
  return random.chance(0.7) ? random.pick(system) : oddText(random);
}

const leading = new Set(["relation", "media", "component", "dynamiczone"]);
const secret = new Set(["secret", "hidden"]);

/** Whether there is something below an attribute. */
export const leads = (type: string, key: string): boolean => leading.has(String(listAttributes(type)[key]?.type));

/** An attribute that leads to one type. */
export function choosePlainLink(random: Choices, type: string): string | undefined {
  const links = Object.keys(listAttributes(type)).filter((key) => leads(type, key) && !isPolymorphic(type, key));
  if (random.slips(0.1)) return chooseKey(random, type);
  return links.length === 0 ? undefined : random.pick(links);
}

/** An attribute with something below it, and one without; any when the request has a mistake. */
export function chooseLink(random: Choices, type: string): string {
  const links = Object.keys(listAttributes(type)).filter((key) => leads(type, key));
  return links.length === 0 || random.slips(0.1) ? chooseKey(random, type) : random.pick(links);
}

export function chooseScalar(random: Choices, type: string): string {
  if (random.slips(0.1)) return chooseKey(random, type);
  return random.pick(Object.keys(listAttributes(type)).filter((key) => !leads(type, key) && !secret.has(key)));
}

const isMorph = (relation: unknown): boolean => String(relation).startsWith("morph");

/** A relation to several types, or from them, or a zone. */
export const isPolymorphic = (type: string, key: string): boolean => {
  const { type: kind, target, relation } = listAttributes(type)[key] ?? {};
  return kind === "dynamiczone" || (kind === "relation" && (target === undefined || isMorph(relation)));
};

/** The type, or the component, that an attribute leads to. */
export function chooseTarget(random: Choices, type: string, key: string): string {
  const { type: kind, target, component, components: listed } = listAttributes(type)[key] ?? {};
  if (kind === "media") return "file";
  if (target === "plugin::users-permissions.user") return "user";
  if (typeof component === "string") return component;
  if (Array.isArray(listed)) return random.pick(listed as string[]);
  if (typeof target === "string" && target.startsWith("api::")) return target.split(".")[1]!;
  return random.pick(["post", "tag", "vault", "part.one"]);
}

/** What an attribute is compared with. */
export function chooseOperand(random: Choices, type: string, key: string): string {
  const fit = random.slips(0.5) ? undefined : fitting[String(listAttributes(type)[key]?.type)];
  const made = fit && !leads(type, key) ? fit(random, {}, 0) : oddText(random);
  return typeof made === "object" ? JSON.stringify(made) : String(made);
}

const uids = [
  "api::post.post",
  "api::tag.tag",
  "api::vault.vault",
  "plugin::users-permissions.user",
  "plugin::upload.file",
  "admin::user",
  "no::such.type",
];
export const chooseUid = (random: Choices): string => random.pick(uids);

function link(random: Choices): unknown {
  const id = random.slips(0.4) ? random.pick([oddText(random), anything(random, 1)]) : 1 + random.below(12);
  const entry = random.chance(0.4)
    ? random.pick([id, chooseDocument(random, random.pick(typeNames))])
    : {
        [random.slips(0.7) ? random.pick(["documentId", "locale", "__type"]) : "id"]: id,
        ...(random.chance(0.5) ? { __type: chooseUid(random) } : {}),
      };
  if (random.chance(0.85) || typeof entry !== "object") return entry;
  return {
    ...(entry as object),
    position: { [random.pick(["before", "after", "start", "end"])]: random.chance(0.5) ? true : id },
  };
}

const links = (random: Choices): unknown =>
  Array.from({ length: random.chance(0.01) ? 500 : random.below(4) }, () => link(random));

function relationValue(random: Choices): unknown {
  if (random.chance(0.3)) return link(random);
  if (random.chance(0.4)) return links(random);
  return Object.fromEntries(
    ["connect", "disconnect", "set"]
      .filter(() => random.chance(0.5))
      .map((key) => [key, random.slips(0.1) ? link(random) : links(random)]),
  );
}

const blocks = (random: Choices): unknown =>
  Array.from({ length: random.below(3) }, () => ({
    type: random.slips(0.8) ? random.pick(["heading", "list", "code", "no"]) : "paragraph",
    ...(random.slips(0.5) ? { level: random.below(8) } : {}),
    children: random.slips(0.3) ? anything(random) : [{ type: "text", text: oddText(random) }],
  }));

const fitting: Readonly<Record<string, (random: Choices, attribute: Attribute, depth: number) => unknown>> = {
  relation: relationValue,
  media: relationValue,
  blocks,
  integer: (random) => (random.slips(0.5) ? random.pick(numbers) : random.below(100)),
  biginteger: (random) => String(random.below(100)),
  decimal: (random) => random.below(100) / 4,
  float: (random) => random.below(100) / 4,
  date: () => "2026-01-31",
  time: () => "10:30:00.000",
  datetime: () => "2026-01-31T10:30:00.000Z",
  text: (random, { regex }) => (regex === undefined || random.slips(0.5) ? oddText(random) : "aaa"),
  email: () => "ada@example.com",
  uid: (random) => `slug-${random.below(1_000)}`,
  boolean: (random) => random.chance(0.5),
  json: (random) => anything(random),
  enumeration: (random) => (random.slips(0.3) ? "blue" : random.pick(["red", "green"])),
  component: (random, { component, repeatable }, depth) =>
    repeatable
      ? Array.from({ length: random.below(4) }, () => createData(random, String(component), depth - 1))
      : createData(random, String(component), depth - 1),
  dynamiczone: (random, _attribute, depth) =>
    Array.from({ length: random.below(4) }, () => {
      const uid = random.slips(0.3) ? "part.none" : random.pick(["part.one", "part.two"]);
      return { __component: uid, ...createData(random, uid, depth - 1) };
    }),
};

/** A document's data. */
export function createData(random: Choices, type: string, depth = 3): Record<string, unknown> {
  const data: Record<string, unknown> =
    type === "post" && !random.slips(0.2) ? { title: `T${random.below(1_000)}` } : {};
  for (let count = random.below(5); count > 0; count--) {
    const key = chooseKey(random, type);
    const attribute = listAttributes(type)[key];
    // an attribute without a row takes texts
    const fit = attribute && depth > 0 && !random.slips(0.2) ? fitting[String(attribute.type)] : undefined;
    data[key] = fit ? fit(random, attribute!, depth) : random.slips(0.4) ? anything(random, depth) : oddText(random);
  }
  return data;
}
