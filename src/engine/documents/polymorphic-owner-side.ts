/**
 * Links to rows of several types, identified by type and id. As in Strapi, they are not renumbered when others are
 * connected, so that positions are fractions.
 */
import { toText } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { contentType, type RelationAttribute, type Schema } from "../schema/model.ts";
import type { DocumentsContext } from "./context.ts";
import { connectOrders, withConnected } from "./link-order.ts";
import { among } from "./link-rows.ts";
import type { Ordered, Placed } from "./link-slots.ts";
import { addPolymorphicLinks, addSingleLink } from "./polymorphic-links.ts";
import { type Change, type LinkedRow, type Position, parseId } from "./relation-input.ts";

/** A target in the format of Strapi's messages: "5:::api::page.page". */
type PolymorphicKey = string;

const buildKey = (id: number | string, uid: string): PolymorphicKey => `${id}:::${uid}`;
const idIn = (key: PolymorphicKey): number => Number(key.slice(0, key.indexOf(":")));
const uidIn = (key: PolymorphicKey): string => key.slice(key.indexOf(":::") + 3);

/** The key of an entry. Throws a ValidationError for an unknown type. */
function targetKey({ model }: DocumentsContext, target: unknown): PolymorphicKey {
  const uid = isRecord(target) ? target.__type : undefined;
  if (typeof uid !== "string" || !model.types.has(uid)) throw validationError("Invalid relations");
  return buildKey(parseId(target), uid);
}

/** A neighbour has the type that the position names, or else that of the entry. */
function placed(context: DocumentsContext, target: unknown): Placed<PolymorphicKey> {
  const key = targetKey(context, target);
  const position = isRecord(target) && isRecord(target.position) ? target.position : undefined;
  if (!position) return { key };
  const uid = typeof position.__type === "string" ? position.__type : uidIn(key);
  const { before, after } = position as Position;
  return {
    key,
    position: {
      ...position,
      ...(before ? { before: buildKey(toText(before), uid) } : {}),
      ...(after ? { after: buildKey(toText(after), uid) } : {}),
    },
  };
}

/** The current entries of a list with their positions. */
function readCurrent({ storage, model }: DocumentsContext, field: number, row: number): Ordered<PolymorphicKey>[] {
  const uids = new Map([...model.types.values()].map(({ table, uid }) => [storage.number(table), uid]));
  const sql = "SELECT target, kind, position FROM galley_links WHERE field = ? AND owner = ? ORDER BY position";
  const links = storage.all(sql, [field, row]) as [number, number, number][];
  return links.flatMap(([target, kind, order]) => {
    const uid = uids.get(kind);
    return uid === undefined ? [] : [{ key: buildKey(target, uid), order }];
  });
}

const numbered = (keys: readonly PolymorphicKey[]): Ordered<PolymorphicKey>[] =>
  [...new Set(keys)].map((key, index) => ({ key, order: index + 1 }));

function nextList(
  context: DocumentsContext,
  current: readonly Ordered<PolymorphicKey>[],
  change: Change,
): readonly Ordered<PolymorphicKey>[] {
  if ("set" in change) return numbered(change.set.map((target) => targetKey(context, target)));
  const entries = change.connect.map((target) => placed(context, target));
  const gone = new Set(change.disconnect.map((target) => targetKey(context, target)));
  const left = current.filter(({ key }) => !gone.has(key));
  if (entries.length === 0) return left;
  const anchors = new Set(
    entries.flatMap(({ position }) => [position?.after || position?.before].filter(Boolean)).map((key) => idIn(key!)),
  );
  // as in Strapi, disconnected entries count as existing, and neighbours match by id alone
  const orders = connectOrders(current, entries, change.strict, (key) => anchors.has(idIn(key)));
  return withConnected(left, entries, orders);
}

/**
 * As in Strapi, entries of a list that is set belong to the attribute of their type that has the name of this one. If
 * that is a morphOne, it gives up what it had.
 */
function releaseSingles(
  context: DocumentsContext,
  schema: Schema,
  { name, link }: RelationAttribute,
  keys: readonly PolymorphicKey[],
): void {
  const { storage, model } = context;
  for (const [uid, of] of Map.groupBy(keys, uidIn)) {
    const type = contentType(model, uid);
    const other = type.attributes.get(name);
    if (other?.kind !== "relation" || other.relation !== "morphOne") continue;
    if (other.target !== schema.uid || other.other !== name) continue;
    const [targets, param] = among(of.map(idIn));
    storage.run(
      `DELETE FROM galley_links WHERE field = ? AND target ${targets} AND kind = ? AND target_attribute = ?`,
      [storage.number(link.field), param, storage.number(type.table), name],
    );
  }
}

/**
 * Applies a change to a row's list. An empty set changes nothing, as in Strapi. There, entries of a new row are shown
 * by no attribute of theirs, and later ones by the attribute that has the name of this one.
 */
export function writePolymorphic(
  context: DocumentsContext,
  schema: Schema,
  attribute: RelationAttribute,
  row: LinkedRow,
  change: Change,
): void {
  if (attribute.many && "set" in change && change.set.length === 0) return;
  const { storage, model } = context;
  const field = storage.number(attribute.link.field);
  const current = row.isNew ? [] : readCurrent(context, field, row.id);
  const list = nextList(context, current, change);
  const next = row.isNew ? numbered(list.map(({ key }) => key)) : list;
  const findKind = (key: PolymorphicKey): number => storage.number(contentType(model, uidIn(key)).table);
  if (!attribute.many) {
    storage.run("DELETE FROM galley_links WHERE field = ? AND owner = ?", [field, row.id]);
    const last = next.at(-1)?.key;
    if (last) addSingleLink(storage, field, { owner: row.id, target: idIn(last), kind: findKind(last) });
    return;
  }
  if ("set" in change) {
    storage.run("DELETE FROM galley_links WHERE field = ? AND owner = ?", [field, row.id]);
    if (!row.isNew)
      releaseSingles(
        context,
        schema,
        attribute,
        next.map(({ key }) => key),
      );
  }
  const written = new Set(
    "set" in change
      ? next.map(({ key }) => key)
      : [...change.connect, ...change.disconnect].map((target) => targetKey(context, target)),
  );
  if (!("set" in change) && current.some(({ key }) => written.has(key))) {
    const pairs = JSON.stringify([...written].map((key) => [findKind(key), idIn(key)]));
    storage.run(
      "DELETE FROM galley_links WHERE field = ? AND owner = ? AND (kind, target) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))",
      [field, row.id, pairs],
    );
  }
  const added = next.filter(({ key }) => written.has(key));
  addPolymorphicLinks(
    storage,
    field,
    added.map(({ key, order }) => ({
      owner: row.id,
      order,
      target: idIn(key),
      kind: findKind(key),
      targetAttribute: row.isNew ? null : attribute.name,
    })),
  );
}
