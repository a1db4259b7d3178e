/** Converts the data of one locale of a document to the initial data of another. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Document } from "../../engine/query/select.ts";
import { type ComponentOrZoneAttribute, entrySchema, holdsComponents } from "../../engine/schema/entries.ts";
import type { ContentType, RelationAttribute, Schema } from "../../engine/schema/model.ts";
import { notFound } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { exactly, requiredText, text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { Configurations } from "../content-manager/configuration/routes.ts";
import { readDocument } from "../content-manager/envelope.ts";
import { findContentType } from "../content-manager/input.ts";
import { readStates } from "../content-manager/versions.ts";
import { wholeRow } from "../content-manager/whole-query.ts";
import { documentIdsOf, editedStatus, ofDocuments, readRows } from "../read-rows.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SYSTEM_FIELDS = new Set(["id", "documentId", "createdAt", "updatedAt", "publishedAt", "locale", "localizations"]);

/** Keys in the order of their numbers, as Strapi's form generates them: a0 … az, b00 … bzz, and so on. */
function orderKey(index: number): string {
  let rest = index;
  for (let length = 1; ; length++) {
    const count = DIGITS.length ** length;
    if (rest >= count) {
      rest -= count;
      continue;
    }
    let digits = "";
    for (let place = 0; place < length; place++, rest = Math.floor(rest / DIGITS.length))
      digits = DIGITS[rest % DIGITS.length] + digits;
    return String.fromCharCode("a".charCodeAt(0) + length - 1) + digits;
  }
}

const createShape = (collectionType: unknown): Shape =>
  exactly({
    documentId: { ...text, required: collectionType !== "single-types", nullable: collectionType === "single-types" },
    sourceLocale: requiredText,
    targetLocale: requiredText,
    collectionType: { ...requiredText, oneOf: ["collection-types", "single-types"] },
  });

type Links = { readonly connect: readonly Document[]; readonly disconnect: readonly never[] };
const NO_LINKS: Links = { connect: [], disconnect: [] };

function localeFiller(context: DocumentsContext, configurations: Configurations, locale: string) {
  const { model } = context;

  function fill(schema: Schema, document: Document): Document {
    const filled: Document = {};
    for (const attribute of schema.attributes.values()) {
      const value = document[attribute.name];
      if (attribute.system || SYSTEM_FIELDS.has(attribute.name) || value === undefined) continue;
      if (attribute.kind === "relation") filled[attribute.name] = links(attribute, value);
      else if (holdsComponents(attribute)) filled[attribute.name] = components(attribute, value);
      else filled[attribute.name] = value;
    }
    return filled;
  }

  function components(attribute: ComponentOrZoneAttribute, value: unknown): unknown {
    const part = (entry: Document): Document => {
      const schema = entrySchema(model, attribute, entry);
      const { __component } = entry;
      const zone = __component === undefined ? {} : { __component };
      return schema ? { ...zone, ...fill(schema, entry) } : zone;
    };
    if (Array.isArray(value))
      return value.filter(isRecord).map((entry, index) => ({ ...part(entry), __temp_key__: orderKey(index) }));
    return isRecord(value) ? part(value) : value;
  }

  /** The same documents in the target locale, without those that lack it. */
  function links({ target: uid, link }: RelationAttribute, value: unknown): Links {
    const target = uid === undefined || link.polymorphic ? undefined : model.types.get(uid);
    const linked = [value ?? []].flat().filter(isRecord) as Document[];
    if (!target || linked.length === 0) return NO_LINKS;
    const targets = inLocale(target, linked);
    const mainField = mainFieldOf(target);
    const stateOf = readStates(context, target, documentIdsOf(linked));
    const connect = linked.flatMap(({ documentId }, index) => {
      const found = targets.get(documentId);
      if (!found) return [];
      const status = stateOf(found);
      const label = found[mainField] ?? (mainField in found ? "" : documentId);
      return {
        documentId,
        id: found.id,
        ...(target.localized ? { locale: found.locale } : {}),
        [mainField]: found[mainField],
        ...(status ? { status } : {}),
        __temp_key__: `a${index}`,
        label: String(label),
      };
    });
    return { connect, disconnect: [] };
  }

  function mainFieldOf({ uid }: ContentType): string {
    const type = configurations.type(uid);
    return String((type && configurations.of(type).settings.mainField) ?? "documentId");
  }

  /** By document id; the draft if the type has drafts. */
  function inLocale(target: ContentType, linked: readonly Document[]): ReadonlyMap<unknown, Document> {
    const query = { ...wholeRow(target), where: ofDocuments(documentIdsOf(linked)) };
    const scope = { locales: target.localized ? [locale] : [null] };
    const rows = readRows(context, editedStatus(target), query, scope);
    return new Map(rows.map((row) => [row.documentId, row]));
  }
  return fill;
}

interface Filling {
  /** Undefined: that of a single type. */
  readonly documentId: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** Throws a NotFoundError for a document that is not there. */
export function readFilled(
  context: DocumentsContext,
  configurations: Configurations,
  type: ContentType,
  { documentId, from, to }: Filling,
): Document {
  const scope = { locales: [from], ...(documentId ? { documentId } : {}) };
  const found = readDocument(context, type, editedStatus(type), scope, "single");
  if (!found) throw notFound();
  return localeFiller(context, configurations, to)(type, found);
}

export const fillRoutes = (context: DocumentsContext, configurations: Configurations): AdminRoute[] => [
  route("GET", "/i18n/content-manager/get-fill-from-locale/:model", ({ params, query }) => {
    const type = findContentType(context.model, params.model);
    const queryParams = query();
    checkBody(createShape(queryParams.collectionType), queryParams);
    const { documentId, sourceLocale, targetLocale } = queryParams as Readonly<Record<string, string>>;
    const filling = { documentId, from: sourceLocale!, to: targetLocale! };
    return ok({ data: readFilled(context, configurations, type, filling) });
  }),
];
