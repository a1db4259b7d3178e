/** Values that requests are put together from: mostly what an attribute takes, else anything. */
import type { Random } from "../../test/random.ts";
import { components, types } from "./project.ts";

type Attribute = Readonly<Record<string, unknown>>;
export type TypeName = keyof typeof types;

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
const numbers = [0, -0, 1, 2, 3, 10, -1, 0.5, 1e21, -1e308, 2 ** 31, 2 ** 53, 2 ** 63];

export const oddText = (random: Random): string => (random.chance(0.5) ? random.pick(words) : random.pick(odd));

/** Anything that JSON can hold. */
export function anything(random: Random, depth = 3): unknown {
  const kind = random.below(depth > 0 ? 9 : 6);
  if (kind < 2) return oddText(random);
  if (kind < 4) return random.pick(numbers);
  if (kind === 4) return random.chance(0.5);
  if (kind === 5) return null;
  const size = random.chance(0.02) ? 200 : random.below(4);
  if (kind < 8) return Array.from({ length: size }, () => anything(random, depth - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [keyOf(random, "post"), anything(random, depth - 1)]));
}

const attributesOf = (type: string): Readonly<Record<string, Attribute>> =>
  (types as Record<string, Record<string, Attribute>>)[type] ??
  (components as Record<string, Record<string, Attribute>>)[type] ??
  types.post;

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

export function keyOf(random: Random, type: string): string {
  if (random.chance(0.94)) return random.pick(Object.keys(attributesOf(type)));
  return random.chance(0.7) ? random.pick(system) : oddText(random);
}

const leading = new Set(["relation", "media", "component", "dynamiczone"]);

/** Whether there is something below an attribute. */
export const leads = (type: string, key: string): boolean => leading.has(String(attributesOf(type)[key]?.type));

/** A relation to several types, or a zone. */
export const isMixed = (type: string, key: string): boolean => {
  const { type: kind, target } = attributesOf(type)[key] ?? {};
  return kind === "dynamiczone" || (kind === "relation" && target === undefined);
};

/** The type, or the component, that an attribute leads to. */
export function targetOf(random: Random, type: string, key: string): string {
  const { target, component, components: listed } = attributesOf(type)[key] ?? {};
  if (typeof component === "string") return component;
  if (Array.isArray(listed)) return random.pick(listed as string[]);
  if (typeof target === "string" && target.startsWith("api::")) return target.split(".")[1]!;
  return random.pick(["post", "tag", "vault", "part.one"]);
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
export const uidOf = (random: Random): string => random.pick(uids);

function link(random: Random): unknown {
  const id = random.chance(0.6) ? 1 + random.below(12) : oddText(random);
  const entry = random.chance(0.4)
    ? id
    : {
        [random.pick(["id", "documentId", "locale", "__type"])]: id,
        ...(random.chance(0.5) ? { __type: uidOf(random) } : {}),
      };
  if (random.chance(0.85) || typeof entry !== "object") return entry;
  return {
    ...(entry as object),
    position: { [random.pick(["before", "after", "start", "end"])]: random.chance(0.5) ? true : id },
  };
}

const links = (random: Random): unknown =>
  Array.from({ length: random.chance(0.01) ? 500 : random.below(4) }, () => link(random));

function relationValue(random: Random): unknown {
  if (random.chance(0.3)) return link(random);
  if (random.chance(0.4)) return links(random);
  return Object.fromEntries(
    ["connect", "disconnect", "set"]
      .filter(() => random.chance(0.5))
      .map((key) => [key, random.chance(0.9) ? links(random) : link(random)]),
  );
}

const blocks = (random: Random): unknown =>
  Array.from({ length: random.below(3) }, () => ({
    type: random.pick(["paragraph", "heading", "list", "code", "no"]),
    level: random.below(8),
    children: random.chance(0.7) ? [{ type: "text", text: oddText(random) }] : anything(random),
  }));

const fitting: Readonly<Record<string, (random: Random, attribute: Attribute, depth: number) => unknown>> = {
  relation: relationValue,
  media: relationValue,
  blocks,
  integer: (random) => random.pick(numbers),
  boolean: (random) => random.chance(0.5),
  json: (random) => anything(random),
  enumeration: (random) => random.pick(["red", "green", "blue"]),
  component: (random, { component, repeatable }, depth) =>
    repeatable
      ? Array.from({ length: random.below(4) }, () => dataOf(random, String(component), depth - 1))
      : dataOf(random, String(component), depth - 1),
  dynamiczone: (random, _attribute, depth) =>
    Array.from({ length: random.below(4) }, () => {
      const uid = random.pick(["part.one", "part.two", "part.none"]);
      return { __component: uid, ...dataOf(random, uid, depth - 1) };
    }),
};

/** A document's data. */
export function dataOf(random: Random, type: string, depth = 3): Record<string, unknown> {
  const data: Record<string, unknown> =
    type === "post" && random.chance(0.8) ? { title: `T${random.below(1_000)}` } : {};
  for (let count = random.below(5); count > 0; count--) {
    const key = keyOf(random, type);
    const attribute = attributesOf(type)[key];
    const fit = attribute && depth > 0 && random.chance(0.8) ? fitting[String(attribute.type)] : undefined;
    data[key] = fit ? fit(random, attribute!, depth) : random.chance(0.6) ? oddText(random) : anything(random, depth);
  }
  return data;
}
