/**
 * Writes what the document service does not write as the file says: which attributes of their targets show polymorphic links, and
 * entries that a list has several times. As in Strapi, a write has each entry once; but both sides of a relation may add one, and
 * archives may have several.
 */
import { listShownComponentRows } from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { type LinkRow, readOwnLinks } from "../../engine/documents/link-rows.ts";
import { addPolymorphicLinks } from "../../engine/documents/polymorphic-links.ts";
import { entrySchema, holdsComponents } from "../../engine/schema/entries.ts";
import { type ContentType, contentType, type LinkAttribute, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { isRecord } from "../../lib/is-record.ts";
import { once } from "../../lib/once.ts";
import type { Json } from "../archive/shapes.ts";
import type { LinkTargets } from "./link-input.ts";
import { isOwnLink } from "./read-links.ts";
import type { LocaleState } from "./version-states.ts";

/** A row, looked up when it is first needed. */
interface LazyRow {
  readonly schema: Schema;
  readonly locale: string | null;
  readonly id: () => number | undefined;
}

/** A target of a list, and the attribute of its that shows the link. */
type Entry = Pick<LinkRow, "target" | "kind" | "targetAttribute">;

const toEntry = ({ target, kind, targetAttribute }: Entry): Entry => ({ target, kind, targetAttribute });

const toLink = (value: unknown): Json => (isRecord(value) ? value : { document: value });

/** Whether values have a target several times, however it is shown. */
const repeats = (values: readonly unknown[]): boolean =>
  new Set(values.map((value) => JSON.stringify({ ...toLink(value), field: undefined }))).size < values.length;

interface ListedLinks {
  readonly context: DocumentsContext;
  readonly names: LinkTargets;
  /** The link fields of which attributes show links. */
  readonly shown: ReadonlySet<string>;
}

export function createListedLinks(context: DocumentsContext, names: LinkTargets): ListedLinks {
  const attributes = [...context.model.types.values()].flatMap((type) => [...type.attributes.values()]);
  const shown = attributes.flatMap((attribute) =>
    attribute.kind === "relation" && attribute.link.targetAttribute !== undefined ? [attribute.link.field] : [],
  );
  return { context, names, shown: new Set(shown) };
}

/** Expects that the links of a document's locale are those of the state. */
export function writeListedLinks(
  listed: ListedLinks,
  type: ContentType,
  documentId: string,
  { locale, draft, published }: LocaleState,
): void {
  const sql = `SELECT id FROM ${quote(type.table)} WHERE document_id = ? AND locale IS ? AND status = ?`;
  const versions = type.draftAndPublish ? { draft, published } : { published: draft };
  for (const [status, attributes] of Object.entries(versions)) {
    const id = once(() => listed.context.storage.first(sql, [documentId, locale, status])?.[0] as number | undefined);
    if (attributes) writeRow(listed, { schema: type, locale, id }, attributes);
  }
}

function writeRow(listed: ListedLinks, { schema, locale, id }: LazyRow, data: Json): void {
  const { context } = listed;
  const readOwn = once(() => {
    const row = id();
    return row === undefined ? undefined : readOwnLinks(context, schema, [row])(row);
  });
  for (const attribute of schema.attributes.values()) {
    const value = data[attribute.name] ?? [];
    const values = Array.isArray(value) ? value : [value];
    if (holdsComponents(attribute)) {
      const parts = once(() => {
        const own = readOwn();
        return own ? listShownComponentRows(context, attribute, own) : [];
      });
      for (const [index, part] of values.entries()) {
        const component = entrySchema(context.model, attribute, part);
        if (component) writeRow(listed, { schema: component, locale, id: () => parts()[index]?.id }, part as Json);
      }
    } else if (isOwnLink(attribute) && isExact(listed, attribute, values)) {
      const row = id();
      const links = readOwn()?.of(attribute.link.field) ?? [];
      if (row !== undefined) writeList(listed, attribute, row, links, values, locale);
    }
  }
}

/** Whether a list has to be written here. */
function isExact({ shown }: ListedLinks, { kind, many, link }: LinkAttribute, values: readonly unknown[]): boolean {
  if (!many || values.length === 0) return false;
  return shown.has(link.field) || ((kind === "media" || link.polymorphic) && repeats(values));
}

/** Brings the rows that the values lead to into their order; others, which files do not show, follow. */
function writeList(
  listed: ListedLinks,
  attribute: LinkAttribute,
  row: number,
  links: readonly LinkRow[],
  values: readonly unknown[],
  locale: string | null,
): void {
  const { names, context } = listed;
  const entries = [...new Map(links.map((link) => [`${link.kind} ${link.target}`, link])).values()];
  const find =
    attribute.kind === "media"
      ? (value: unknown) => entries.filter(({ target }) => target === names.media(String(value)))
      : (value: unknown) => findEntries(listed, entries, toLink(value), locale);
  const own = values.flatMap(find);
  const targets = new Set(own.map(({ kind, target }) => `${kind} ${target}`));
  const isListed = ({ kind, target }: Entry): boolean => targets.has(`${kind} ${target}`);
  if (Bun.deepEquals(own.map(toEntry), links.filter(isListed).map(toEntry))) return;
  const { storage } = context;
  const field = storage.number(attribute.link.field);
  storage.run("DELETE FROM galley_links WHERE field = ? AND owner = ?", [field, row]);
  addPolymorphicLinks(
    storage,
    field,
    [...own, ...links.filter((link) => !isListed(link))].map((entry, index) => ({
      ...toEntry(entry),
      owner: row,
      order: index + 1,
    })),
  );
}

/** The versions of the document that the list has. */
function findEntries(
  { names, context }: ListedLinks,
  entries: readonly Entry[],
  link: Json,
  ownLocale: string | null,
): Entry[] {
  const target = names.document(String(link.document));
  if (!target) return [];
  const { storage, model, defaultLocale } = context;
  const { table, localized } = contentType(model, target.uid);
  const locale = localized ? (link.locale ?? ownLocale ?? defaultLocale()) : null;
  const rows = new Set(
    storage
      .all(`SELECT id FROM ${quote(table)} WHERE document_id = ? AND locale IS ? AND status = coalesce(?, status)`, [
        target.documentId,
        locale as string | null,
        (link.status ?? null) as string | null,
      ])
      .map(([id]) => id),
  );
  const kind = storage.number(table);
  return entries
    .filter((entry) => entry.kind === kind && rows.has(entry.target))
    .map((entry) => ({ ...entry, targetAttribute: (link.field ?? null) as string | null }));
}
