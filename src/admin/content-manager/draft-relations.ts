/** Counts links of drafts to documents without a published version: they are invisible once published. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { manyLocales } from "../../engine/documents/document-reads.ts";
import type { Document } from "../../engine/query/select.ts";
import { emptyQuery, type Populate, type Query } from "../../engine/query/tree.ts";
import { entryUid, holdsComponents } from "../../engine/schema/entries.ts";
import {
  type ContentType,
  component,
  type Model,
  type RelationAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { ofDocuments, readRows } from "../read-rows.ts";
import { isShown, wholeRow, zoneQueries } from "./whole-query.ts";

const MAX_LEVEL = 20;

/** The target of a relation that counts: a type with drafts other than the document's own. */
function findDraftTarget(model: Model, schema: Schema, attribute: RelationAttribute): ContentType | undefined {
  if (attribute.link.polymorphic || attribute.virtual || !isShown(attribute)) return undefined;
  const target = attribute.target === undefined ? undefined : model.types.get(attribute.target);
  return target?.draftAndPublish && target.uid !== schema.uid ? target : undefined;
}

function linksQuery(model: Model, schema: Schema, level = 0): Query {
  const none = { count: false, on: undefined, query: undefined };
  const populate = [...schema.attributes.values()].flatMap((attribute): Populate[] => {
    const item = { ...none, key: attribute.name };
    if (level > MAX_LEVEL) return [];
    if (attribute.kind === "relation") {
      const target = findDraftTarget(model, schema, attribute);
      return target ? [{ ...item, attribute, query: { ...wholeRow(target), populate: [] } }] : [];
    }
    if (attribute.kind === "component") {
      const query = linksQuery(model, component(model, attribute.component), level + 1);
      return query.populate.length > 0 ? [{ ...item, attribute, query }] : [];
    }
    if (attribute.kind !== "zone") return [];
    return [{ ...item, attribute, on: zoneQueries(model, attribute, (part) => linksQuery(model, part, level + 1)) }];
  });
  return { ...emptyQuery(schema), populate };
}

interface Link {
  readonly target: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly isTwoSided: boolean;
}

function* listLinks(model: Model, schema: Schema, document: Document): Generator<Link> {
  for (const attribute of schema.attributes.values()) {
    const value = document[attribute.name];
    if (value === null || value === undefined) continue;
    const entries = [value].flat() as Document[];
    if (holdsComponents(attribute))
      for (const entry of entries) yield* listLinks(model, component(model, entryUid(attribute, entry)), entry);
    if (attribute.kind !== "relation") continue;
    const target = findDraftTarget(model, schema, attribute);
    if (!target) continue;
    const { relation, inversedBy, mappedBy } = attribute.definition;
    const isTwoSided = relation === "manyToMany" && Boolean(inversedBy || mappedBy);
    for (const { documentId, locale } of entries)
      yield { target, documentId: documentId as string, locale: (locale ?? null) as string | null, isTwoSided };
  }
}

/**
 * Counts over drafts in the locales (`*`: in all), or in the default one. `draftM2mLinks`: links of both sides, which are shown once the
 * other document is published. One statement per relation and one per target type.
 */
export function countDraftRelations(
  context: DocumentsContext,
  type: ContentType,
  documentIds: readonly string[],
  locale: string | readonly string[] | undefined,
) {
  const { storage, model } = context;
  const locales = manyLocales(context, type, { locale });
  const query = { ...linksQuery(model, type), where: ofDocuments(documentIds) };
  const links = readRows(context, "draft", query, { locales }).flatMap((document) => [
    ...listLinks(model, type, document),
  ]);
  const counts = { unpublishedRelations: 0, draftM2mLinks: 0 };
  for (const [target, group] of Map.groupBy(links, (link) => link.target)) {
    const ids = JSON.stringify([...new Set(group.map(({ documentId }) => documentId))]);
    const sql = `SELECT document_id, locale FROM ${quote(target.table)} WHERE status = 'published' AND document_id IN (SELECT value FROM json_each(?))`;
    const published = new Set(storage.all(sql, [ids]).map(([id, code]) => `${id} ${target.localized ? code : null}`));
    for (const link of group) {
      if (published.has(`${link.documentId} ${target.localized ? link.locale : null}`)) continue;
      counts[link.isTwoSided ? "draftM2mLinks" : "unpublishedRelations"]++;
    }
  }
  return counts;
}
