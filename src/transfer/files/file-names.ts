/** Derives file names of documents from slugs and titles. They are unique even on case-insensitive file systems. */

import type { ContentType } from "../../engine/schema/model.ts";
import { isDeviceName } from "../../lib/file-names.ts";
import type { Json } from "../archive/shapes.ts";

const MAX_LENGTH = 60;
const ID_LENGTH = 8;
/** Attributes to derive names from, in order of preference after those of type uid. */
const NAME_ATTRIBUTES = ["slug", "title", "name", "label", "heading", "question", "username", "email", "code", "key"];

function slug(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const name = plain
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, "");
  return isDeviceName(name) ? `${name}-` : name;
}

/** The attributes of a type to derive names from, in order of preference. */
function namingAttributes({ attributes }: ContentType): string[] {
  const texts = [...attributes.values()].filter(
    (attribute) =>
      attribute.kind === "scalar" &&
      !attribute.system &&
      ["uid", "string", "email"].includes(attribute.definition.type),
  );
  const uids = texts.filter(({ definition }) => definition.type === "uid");
  const named = NAME_ATTRIBUTES.flatMap((name) => texts.find((text) => text.name === name) ?? []);
  return [...new Set([...uids, ...named, ...texts.slice(0, 1)])].map(({ name }) => name);
}

function nameOf(id: string, data: Json, attributes: readonly string[]): string {
  for (const attribute of attributes) {
    const value = data[attribute];
    const name = typeof value === "string" ? slug(value) : "";
    if (name !== "") return name;
  }
  return slug(id) || "document";
}

/** File names without extension, by document id. They do not depend on the order of the documents. */
export function documentNames(type: ContentType, documents: ReadonlyMap<string, Json>): ReadonlyMap<string, string> {
  const attributes = namingAttributes(type);
  const names = new Map([...documents].map(([id, data]) => [id, nameOf(id, data, attributes)]));
  lengthen(names, (id, name) => `${name}-${slug(id).slice(0, ID_LENGTH)}`);
  lengthen(names, (id, name) => `${name}-${Bun.hash(id).toString(36)}`);
  return names;
}

function lengthen(names: Map<string, string>, longer: (id: string, name: string) => string): void {
  for (const same of Map.groupBy(names, ([, name]) => name).values())
    if (same.length > 1) for (const [id, name] of same) names.set(id, longer(id, name));
}
