/** Derives file names of documents from slugs and titles. */
import type { ContentType, ScalarAttribute } from "../../engine/schema/model.ts";
import { isDeviceName } from "../../lib/file-names.ts";
import type { Json } from "../archive/shapes.ts";
import { isReadme } from "./file-paths.ts";

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
  return isDeviceName(name) || isReadme(name) ? `${name}-` : name;
}

/** The attributes of a type to derive names from, in order of preference. */
export function namingAttributes({ attributes }: ContentType): ScalarAttribute[] {
  const texts = [...attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === "scalar" &&
      !attribute.system &&
      ["uid", "string", "email"].includes(attribute.definition.type),
  );
  const uids = texts.filter(({ definition }) => definition.type === "uid");
  const named = NAME_ATTRIBUTES.flatMap((name) => texts.find((text) => text.name === name) ?? []);
  return [...new Set([...uids, ...named, ...texts.slice(0, 1)])];
}

/**
 * A name without extension in small letters, digits and "-", for which `isFree` returns true: unique names differ on case-insensitive
 * file systems, too.
 */
export function documentName(
  type: ContentType,
  documentId: string,
  data: Json,
  isFree: (name: string) => boolean,
): string {
  const texts = namingAttributes(type).map(({ name }) => data[name]);
  const name = texts.map((text) => (typeof text === "string" ? slug(text) : "")).find((text) => text !== "");
  const id = slug(documentId);
  const candidates = [name ?? (id || "document"), `${name ?? "document"}-${id.slice(0, ID_LENGTH)}`];
  return candidates.find(isFree) ?? `${candidates[0]}-${Bun.hash(documentId).toString(36)}`;
}
