/**
 * Normalises the values of relations and media in request bodies to `{ set }` or `{ connect, disconnect }` with row ids.
 * Document ids are resolved together, with one statement per target type and locale.
 */
import { toText } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Status } from "../query/reading.ts";
import { holdsComponents, mapComponents } from "../schema/entries.ts";
import { type Attribute, contentType, findType, isLink, type LinkAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { among } from "./link-rows.ts";
import type { Version } from "./row-store.ts";

/** The row id of a target; ids arrive as numbers or strings. */
export function parseId(target: unknown): number {
  const id = isRecord(target) ? target.id : target;
  const number = typeof id === "string" || typeof id === "number" ? Number(id) : Number.NaN;
  if (!Number.isInteger(number)) throw validationError("Invalid relations");
  return number;
}

const list = (value: unknown): unknown[] => (value === null || value === undefined ? [] : [value].flat());

export type Change =
  | { readonly set: unknown[] }
  | { readonly connect: unknown[]; readonly disconnect: unknown[]; readonly strict: boolean };

/** Undefined: no change. */
export function parseChange(value: unknown): Change | undefined {
  if (value === null) return { set: [] };
  if (!isRecord(value)) return undefined;
  if (value.set) return { set: list(value.set) };
  const [connect, disconnect] = [list(value.connect), list(value.disconnect)];
  if (connect.length === 0 && disconnect.length === 0) return undefined;
  return { connect, disconnect, strict: !(isRecord(value.options) && value.options.strict === false) };
}

export interface LinkedRow {
  readonly id: number;
  readonly status: Status;
  /** The row was inserted by the same write. */
  readonly isNew?: boolean;
}

/** One target in a relation's value: a row id, its position, and its type if the relation has several. */
export interface Target {
  readonly id: number | string;
  readonly position?: Position;
  readonly __type?: string;
}

export interface Position<K = number | string> {
  readonly before?: K;
  readonly after?: K;
  readonly start?: boolean;
  readonly end?: boolean;
}

/** The row id of an administrator stays a number: error messages show it so. */
const isCreatorId = (attribute: Attribute | undefined, value: unknown): boolean =>
  attribute?.kind === "relation" && attribute.column !== undefined && typeof value === "number";

type Entry = Record<string, unknown>;
type MapEntry = (entry: Entry) => unknown;

const toList = (value: unknown): unknown =>
  value === null || value === undefined || Array.isArray(value) ? value : [value];

/** As in Strapi, a string that begins with a number is an id. */
const isNumeric = (value: unknown): boolean =>
  !Array.isArray(value) && !Number.isNaN(Number.parseInt(toText(value), 10));

/** Applies `mapEntry` to every entry, and normalises the value around them. A value without entries is returned as it is. */
function mapEntries(value: unknown, mapEntry: MapEntry, nested = false): unknown {
  const set = (entries: unknown): unknown => (nested ? entries : { set: toList(entries) });
  if (value === null || value === undefined) return value;
  // flattened once: copying at every level would cost levels × entries
  if (Array.isArray(value)) {
    const entries: unknown[] = value.flat(Number.POSITIVE_INFINITY);
    return set(entries.flatMap((item) => mapEntries(item, mapEntry, true)).filter(Boolean));
  }
  if (isRecord(value)) {
    if ("id" in value || "documentId" in value) return set(mapEntry(value));
    if (!value.set && !value.connect && !value.disconnect) return value;
    const mapped: Entry = { ...value };
    for (const key of ["set", "disconnect", "connect"]) {
      if (value[key]) mapped[key] = toList(mapEntries(value[key], mapEntry, true));
    }
    return mapped;
  }
  if (typeof value === "boolean") return value;
  if (isNumeric(value)) return set(mapEntry({ id: value }));
  return set(mapEntry({ documentId: value }));
}

/**
 * As in Strapi, a to-one relation takes the last of several targets that are set, and the first of those that are
 * connected. A single media field takes all, and returns the first.
 */
function limitToOne(attribute: LinkAttribute, value: unknown): unknown {
  if (attribute.many || attribute.kind === "media") return value;
  if (Array.isArray(value)) return value.slice(-1);
  if (!isRecord(value)) return value;
  const { set, connect } = value;
  return {
    ...value,
    ...(Array.isArray(set) ? { set: set.slice(-1) } : {}),
    ...(Array.isArray(connect) ? { connect: connect.slice(0, 1) } : {}),
  };
}

/** Targets whose rows were read by their document ids. */
const found = new WeakSet<object>();

/** Whether the row of a target is known to exist. */
export const isFound = (target: object): boolean => found.has(target);

type Rows = { readonly draft?: number; readonly published?: number };

const WITHOUT_VERSIONS = { localized: false, draftAndPublish: false };

/** A position may name its neighbour in another locale than that of the entry. */
const withLocale = ({ locale }: Entry, entry: Entry): Entry => (locale ? { ...entry, locale } : entry);

/**
 * The data of a write to one version of a document, or to a component, with normalised relations and media. Throws a ValidationError for an
 * unknown document id. `allowsMissing`: documents without a row of the right version are omitted instead of refused.
 */
export function resolveRelations(
  context: DocumentsContext,
  schema: Schema,
  version: Pick<Version, "locale" | "status">,
  data: Entry,
  { allowsMissing = false } = {},
): Entry {
  // a component that is written by itself has neither locales nor versions
  const { localized, draftAndPublish } = schema.modelType === "component" ? WITHOUT_VERSIONS : schema;
  /** Document ids by type and locale. */
  const requested = new Map<string, Set<string>>();
  const resolved = new Map<string, Rows>();

  /** Rebuilds the data in the order of the body, components included. */
  function walk(of: Schema, values: Entry, visit: (attribute: LinkAttribute, value: unknown) => unknown): Entry {
    const walkEntry = (component: Schema, entry: Entry): unknown => walk(component, entry, visit);
    // without what objects inherit: an attribute may be called "constructor"
    const out: Entry = Object.create(null);
    for (const [key, value] of Object.entries(values)) {
      const attribute = of.attributes.get(key);
      if (isCreatorId(attribute, value)) out[key] = value;
      else if (attribute && isLink(attribute)) out[key] = visit(attribute, value);
      else if (holdsComponents(attribute)) out[key] = mapComponents(context.model, attribute, value, walkEntry);
      else out[key] = value;
    }
    return out;
  }

  function findUid(attribute: LinkAttribute, entry: Entry): string | undefined {
    if (attribute.target) return attribute.target;
    return typeof entry.__type === "string" && context.model.types.has(entry.__type) ? entry.__type : undefined;
  }

  /** The locale of a target: that of a localized source, else the requested one, else the default. */
  function chooseLocale(uid: string, entry: Entry): string | null {
    const target = context.model.types.get(uid);
    if (!target?.localized) return null;
    if (localized) return version.locale;
    return typeof entry.locale === "string" && entry.locale !== "" ? entry.locale : context.defaultLocale();
  }

  /** For a source without locales, the position has the locale as well, since error messages print it. */
  function positionLocale({ locale, position }: Entry): Entry {
    const hasLocale = (locale !== undefined && locale !== null && locale !== "") || (position as Entry).locale;
    return localized || hasLocale ? {} : { locale: context.defaultLocale() };
  }

  function request(attribute: LinkAttribute, entry: Entry): void {
    const uid = findUid(attribute, entry);
    if (!uid) return;
    requestDocument(uid, entry, entry.documentId);
    if (!entry.documentId || !isRecord(entry.position)) return;
    const neighbour = neighbourUid(attribute, uid, entry.position);
    const named = withLocale(entry.position, entry);
    for (const key of ["before", "after"]) requestDocument(neighbour, named, entry.position[key]);
  }

  function requestDocument(uid: string, entry: Entry, documentId: unknown): void {
    if (!documentId || typeof documentId === "object" || !findType(context.model, uid)) return;
    const group = JSON.stringify([uid, chooseLocale(uid, entry)]);
    requested.getOrInsertComputed(group, () => new Set()).add(toText(documentId));
  }

  /** If the relation has several types, a neighbour may have another type than the entry. */
  function neighbourUid(attribute: LinkAttribute, uid: string, { __type }: Entry): string {
    return !attribute.target && typeof __type === "string" ? __type : uid;
  }

  function loadRows(): void {
    for (const [group, ids] of requested) {
      const [uid, locale] = JSON.parse(group) as [string, string | null];
      const { table } = contentType(context.model, uid);
      const [those, param] = among([...ids]);
      const rows = context.storage.all(
        `SELECT document_id, id, status FROM ${quote(table)} WHERE document_id ${those} AND locale IS +?`,
        [param, locale],
      ) as [string, number, "draft" | "published"][];
      for (const [documentId, id, status] of rows) {
        const key = `${group}${documentId}`;
        resolved.set(key, { ...resolved.get(key), [status]: id });
      }
    }
  }

  function findRows(uid: string, entry: Entry, documentId: unknown): number[] {
    const locale = chooseLocale(uid, entry);
    const rows = resolved.get(`${JSON.stringify([uid, locale])}${toText(documentId)}`) ?? {};
    const ids = chooseStatuses(uid, entry)
      .map((status) => rows[status])
      .filter((id) => id !== undefined);
    if (ids.length === 0 && !allowsMissing)
      throw validationError(`Document with id "${toText(documentId)}", locale "${locale}" not found`);
    return ids;
  }

  /** Drafts link to drafts. A source without drafts links to both versions, or to the one that the entry names. */
  function chooseStatuses(uid: string, entry: Entry): ("draft" | "published")[] {
    if (!context.model.types.get(uid)?.draftAndPublish) return ["published"];
    if (draftAndPublish) return [version.status];
    if (entry.status) return [entry.status === "published" ? "published" : "draft"];
    return ["draft", "published"];
  }

  function findTargets(attribute: LinkAttribute, entry: Entry): unknown {
    if (!entry.documentId) return entry;
    const uid = findUid(attribute, entry);
    if (!uid) throw validationError(`Document with id "${toText(entry.documentId)}", locale "null" not found`);
    const ids = findRows(uid, entry, entry.documentId);
    const position = isRecord(entry.position) ? { ...entry.position, ...positionLocale(entry) } : undefined;
    for (const key of ["before", "after"]) {
      if (!position?.[key]) continue;
      const named = withLocale(entry.position as Entry, entry);
      position[key] = findRows(neighbourUid(attribute, uid, position), named, position[key])[0];
    }
    return ids.map((id) => {
      const target = {
        id,
        ...(entry.position ? { position: position ?? {} } : {}),
        ...(attribute.target ? {} : { __type: uid }),
      };
      found.add(target);
      return target;
    });
  }

  walk(schema, data, (attribute, value) => {
    mapEntries(limitToOne(attribute, value), (entry) => request(attribute, entry));
    return value;
  });
  loadRows();
  return walk(schema, data, (attribute, value) =>
    mapEntries(limitToOne(attribute, value), (entry) => findTargets(attribute, entry)),
  );
}
