/** How versions are read and compared. */
import type { Body } from "../../test/project.ts";

/** What both versions of a document have in common: no ids of rows, and documents as their ids. */
export function comparable(value: Body): Body {
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.documentId === "string") return value.documentId;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (key === "id" ? [] : [[key, comparable(item)]])),
  );
}

const inner = { populate: { one: true } };
const box = { populate: { one: true, many: true, file: true, inner, inners: inner } };
const gone = { populate: { one: true } };
const populate = {
  ...Object.fromEntries(
    ["one", "many", "owned", "both", "pair", "parent", "file", "files"].map((name) => [name, true]),
  ),
  ...{ mixed: { on: { "api::person.person": true } }, box, boxes: box, extra: gone },
  zone: { on: { "parts.box": box, "parts.gone": gone } },
};

function toQuery(value: object, prefix: string): string[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const name = `${prefix}[${key}]`;
    return typeof item === "object" && item !== null ? toQuery(item, name) : [`${name}=${item}`];
  });
}
export const POPULATE = toQuery(populate, "populate").join("&");
