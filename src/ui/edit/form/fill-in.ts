/** The values that a form gets from another locale of its document. */
import { api } from "../../api/client.ts";
import type { ContentType } from "../../model.ts";
import { isToMany, withAdded } from "./relation-changes.ts";
import { type RelationValue, readValues, type Values } from "./values.ts";

export interface FillInRequest {
  readonly type: ContentType;
  readonly documentId: string | undefined;
  /** The locale that is filled. */
  readonly locale: string | undefined;
  /** The locale that is read. */
  readonly source: string;
}

/**
 * Components have no ids, since they become new ones. Relations have the documents that exist in the filled locale, behind those
 * that it has already. Throws the server's errors.
 */
export async function readFillIn(
  { type, documentId, locale, source }: FillInRequest,
  current: Values,
): Promise<Values> {
  const isSingle = type.kind === "singleType";
  const query = {
    ...(isSingle ? {} : { documentId }),
    sourceLocale: source,
    targetLocale: locale,
    collectionType: isSingle ? "single-types" : "collection-types",
  };
  const path = `/i18n/content-manager/get-fill-from-locale/${type.uid}`;
  const { data } = await api.get<{ data: Values }>(path, { query });
  const filled = Object.entries(readValues(type.attributes, data)).filter(([name]) => Object.hasOwn(data, name));
  return Object.fromEntries(
    filled.map(([name, value]) => {
      const attribute = type.attributes[name]!;
      if (attribute.type !== "relation") return [name, value];
      const own = current[name] as RelationValue;
      const present = new Set(own.items?.map((item) => item.documentId));
      const added = (value as RelationValue).items?.filter((item) => !present.has(item.documentId)) ?? [];
      return [name, added.reduce((sum, item) => withAdded(sum, item, isToMany(attribute)), own)];
    }),
  );
}
