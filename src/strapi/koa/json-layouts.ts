/** The layout of a JSON value: names and lists, without scalars. All items of a list have one layout. */

/** An object or array of JSON. */
export type Container = Record<string | number, unknown>;

export const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

export type Layout =
  /** Anything but an object or array. */
  | { readonly kind: "scalar" }
  /** Null as far as it is known: objects and lists may also be null. */
  | { readonly kind: "null" }
  | { readonly kind: "object"; readonly members: readonly Member[]; readonly isNullable: boolean }
  /** `items` undefined: empty. */
  | { readonly kind: "list"; readonly items: Layout | undefined; readonly isNullable: boolean }
  /** Any value, which the layout does not describe. */
  | { readonly kind: "part" };

export type Member = readonly [name: string, layout: Layout];

/** Names in content are untrusted: only plain ones are compiled into code. In a literal, `__proto__` is not a member. */
const PLAIN_NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_-]*$/;
/** Of a layout. A larger value inside is a part. */
const MAX_NAMES = 300;
const MAX_DEPTH = 12;

const SCALAR: Layout = { kind: "scalar" };
const NULL: Layout = { kind: "null" };
const PART: Layout = { kind: "part" };

/** The number of names in a layout. */
function namesIn(layout: Layout | undefined): number {
  if (layout?.kind === "list") return namesIn(layout.items);
  if (layout?.kind !== "object") return 0;
  return layout.members.reduce((sum, [, inner]) => sum + 1 + namesIn(inner), 0);
}

/** The layout that describes all values of both. */
function merged(a: Layout, b: Layout): Layout {
  if (a.kind === "null") return nullable(b);
  if (b.kind === "null") return nullable(a);
  if (a.kind === "scalar" && b.kind === "scalar") return SCALAR;
  if (a.kind === "object" && b.kind === "object") return mergedObjects(a, b);
  if (a.kind !== "list" || b.kind !== "list") return PART;
  const items = a.items && b.items ? merged(a.items, b.items) : (a.items ?? b.items);
  return { kind: "list", items, isNullable: a.isNullable || b.isNullable };
}

type ObjectLayout = Extract<Layout, { kind: "object" }>;

function mergedObjects(a: ObjectLayout, b: ObjectLayout): Layout {
  const hasSameNames =
    a.members.length === b.members.length && a.members.every(([name], i) => name === b.members[i]![0]);
  if (!hasSameNames) return PART;
  const members = a.members.map(([name, layout], i): Member => [name, merged(layout, b.members[i]![1])]);
  return { kind: "object", members, isNullable: a.isNullable || b.isNullable };
}

const nullable = (layout: Layout): Layout =>
  layout.kind === "object" || layout.kind === "list" ? { ...layout, isNullable: true } : layout;

/** The layout of a value as `JSON.parse` makes it. */
export function describeLayout(value: unknown, depth = 0): Layout {
  if (value === null) return NULL;
  if (!isContainer(value)) return SCALAR;
  if (depth === MAX_DEPTH) return PART;
  return Array.isArray(value) ? layoutOfList(value, depth) : layoutOfObject(value, depth);
}

function layoutOfList(list: readonly unknown[], depth: number): Layout {
  let items: Layout | undefined;
  for (const item of list) {
    const layout = describeLayout(item, depth + 1);
    items = items ? merged(items, layout) : layout;
    if (items.kind === "part") break;
  }
  return { kind: "list", items, isNullable: false };
}

function layoutOfObject(value: Container, depth: number): Layout {
  const names = Object.keys(value);
  if (names.length > MAX_NAMES || !names.every((name) => PLAIN_NAME.test(name))) return PART;
  let rest = MAX_NAMES - names.length;
  const members = names.map((name): Member => {
    const layout = describeLayout(value[name], depth + 1);
    const size = namesIn(layout);
    if (size > rest) return [name, PART];
    rest -= size;
    return [name, layout];
  });
  return { kind: "object", members, isNullable: false };
}

/** The same for all values of a layout. */
export function formatKey(layout: Layout | undefined): string {
  if (!layout) return "";
  const suffix = "isNullable" in layout && layout.isNullable ? "?" : "";
  switch (layout.kind) {
    case "object":
      return `{${layout.members.map(([name, inner]) => name + formatKey(inner)).join()}}${suffix}`;
    case "list":
      return `[${formatKey(layout.items)}]${suffix}`;
    case "part":
      return "*";
    default:
      // not that of the items of an empty list
      return ".";
  }
}
