/** Lists the versions of a document with the current targets of their links, and restores them. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Document } from "../../../engine/query/select.ts";
import type { Attribute, ContentType, LinkAttribute } from "../../../engine/schema/model.ts";
import { applicationError, notFound } from "../../../lib/errors.ts";
import { pickBy } from "../../../lib/records.ts";
import { readAdministrator } from "../../administrator.ts";
import { listLocales } from "../../i18n/locales.ts";
import { editedStatus, ofDocuments, readRows } from "../../read-rows.ts";
import { readFiles } from "../../upload/files.ts";
import type { UnchangedCheck } from "../preconditions.ts";
import { linkedUid, mapLinks } from "../snapshot-links.ts";
import { readStates } from "../versions.ts";
import {
  type Attributes,
  findVersion,
  listVersions,
  type StoredVersion,
  type VersionFilter,
} from "../versions-table.ts";
import { wholeRow } from "../whole-query.ts";
import { Writes } from "../writes.ts";

/**
 * Finds the linked file or document of a link; undefined if it was deleted. Loads the current targets of the links of stored versions, with one
 * statement per content-type. `data`: snapshots of documents of the type.
 */
function linkedRows(context: DocumentsContext, type: ContentType, data: readonly Document[]) {
  const { types } = context.model;
  const fileIds = new Set<number>();
  const documentIds = new Map<string, Set<string>>();
  for (const document of data)
    mapLinks(context.model, type, document, (attribute, linked) => {
      for (const item of linked) {
        if (attribute.kind === "media") fileIds.add(Number(item.id));
        else documentIds.getOrInsertComputed(linkedUid(attribute, item), () => new Set()).add(String(item.documentId));
      }
    });
  const files = new Map(
    readFiles(context, [...fileIds].filter(Number.isSafeInteger)).map((file): [unknown, Document] => [file.id, file]),
  );
  const buildKey = (target: ContentType, documentId: unknown, locale: unknown): string =>
    JSON.stringify([target.uid, documentId, target.localized ? locale : null]);
  const rows = new Map<string, Document>();
  for (const [uid, ids] of documentIds) {
    const target = types.get(uid);
    if (!target) continue;
    const stateOf = readStates(context, target, [...ids]);
    // drafts of types with drafts, as the content manager shows them
    for (const row of readRows(context, editedStatus(target), { ...wholeRow(target), where: ofDocuments([...ids]) }))
      rows.set(buildKey(target, row.documentId, row.locale), { ...row, status: stateOf(row) ?? "published" });
  }
  return (attribute: LinkAttribute, linked: Document): Document | undefined => {
    if (attribute.kind === "media") return files.get(linked.id);
    const target = types.get(linkedUid(attribute, linked));
    return target && rows.get(buildKey(target, linked.documentId, linked.locale || context.defaultLocale()));
  };
}

/** Shown links per attribute, as in Strapi. */
const MAX_SHOWN = 25;
/** Keys of the snapshot that identify its row and are not restored. */
const OWN_KEYS = new Set(["id", "documentId", "locale"]);

/** `added`: what the type did not have; `removed`: also what was renamed. */
function compare(before: Attributes, now: Attributes) {
  const missingIn = (other: Attributes, own: Attributes): Attributes =>
    pickBy(own, (_, name) => !Object.hasOwn(other, name));
  return { added: missingIn(before, now), removed: missingIn(now, before) };
}

function shownCreator(context: DocumentsContext, id: number | null): { readonly createdBy?: Document } {
  if (id === null) return {};
  const { firstname, lastname, username, email } = readAdministrator(context);
  return { createdBy: { id, firstname, lastname, username, email } };
}

/** A page of versions, the newest first. `locale` is used for localized types only. */
export function listHistory(
  context: DocumentsContext,
  type: ContentType,
  { documentId, locale }: Omit<VersionFilter, "contentType">,
  range: { readonly start: number; readonly limit: number },
): { readonly results: readonly Document[]; readonly total: number } {
  const storedLocale = type.localized ? locale || context.defaultLocale() : undefined;
  const filter = { contentType: type.uid, documentId, locale: storedLocale };
  const { versions, total } = listVersions(context.storage, filter, range);
  const findLinked = linkedRows(
    context,
    type,
    versions.map(({ data }) => data),
  );
  const locales = new Map<unknown, unknown>(listLocales(context).map(({ code, name }) => [code, { name, code }]));
  const shown = ({ documentId: relatedDocumentId, createdBy, data, ...version }: StoredVersion): Document => ({
    ...version,
    relatedDocumentId,
    data: mapLinks(context.model, type, data, (attribute, linked, value) => {
      if (!value) return value;
      const found = linked.slice(0, MAX_SHOWN).map((item) => findLinked(attribute, item));
      const results = found.filter((row) => row !== undefined);
      return { results, meta: { missingCount: found.length - results.length } };
    }),
    locale: version.locale === null ? null : locales.get(version.locale),
    meta: { unknownAttributes: compare(version.schema, type.definition.attributes) },
    ...shownCreator(context, createdBy),
  });
  return { results: versions.map(shown), total };
}

/**
 * Writes a version's values to the draft, or to the document if the type has no drafts. Attributes that the type did not
 * have are emptied; links to deleted targets are dropped. Throws a NotFoundError for an unknown version, and an
 * ApplicationError if its document was deleted. Returns the id of the document. `checkUnchanged`: see `Writes`.
 */
export async function restoreVersion(
  context: DocumentsContext,
  type: ContentType,
  id: number,
  checkUnchanged: UnchangedCheck,
): Promise<string> {
  const version = findVersion(context.storage, id);
  if (version?.contentType !== type.uid) throw notFound();
  const { documentId, data, schema, locale } = version;
  const writes = new Writes(context, type, checkUnchanged);
  if (!writes.exists(documentId)) throw applicationError("Failed to restore version");
  const restored = { ...emptied(type, schema), ...restoredData(context, type, data) };
  await writes.update(documentId, { ...restored, ...(locale === null ? {} : { locale }) });
  return documentId;
}

/** The attributes that the type has got since. */
function emptied(type: ContentType, before: Attributes): Document {
  const { added } = compare(before, type.definition.attributes);
  const isList = (attribute: Attribute | undefined): boolean =>
    attribute?.kind === "zone" || (attribute?.kind === "component" && attribute.many);
  return Object.fromEntries(Object.keys(added).map((name) => [name, isList(type.attributes.get(name)) ? [] : null]));
}

/** The data that writes values of a snapshot again. Links to deleted targets are dropped. */
export function restoredData(context: DocumentsContext, type: ContentType, snapshot: Document): Document {
  const findLinked = linkedRows(context, type, [snapshot]);
  const values = pickBy(snapshot, (_, name) => !OWN_KEYS.has(name));
  return mapLinks(context.model, type, values, (attribute, linked) => {
    const existing = linked.filter((item) => findLinked(attribute, item) !== undefined);
    if (attribute.kind === "media") return existing.map((item) => item.id);
    return {
      // without a status: a type without drafts links to the draft and to the published version
      set: existing.map(({ documentId, locale, __type }) => ({
        documentId,
        ...(locale ? { locale } : {}),
        ...(__type === undefined ? {} : { __type }),
      })),
    };
  });
}
