/**
 * Writes the components of a row with the lifecycle hooks of the project's code. As in Strapi, each component is a query of
 * its own: nested ones first, and all of them before the row that has them (when a row is deleted, after it). The row then links them
 * by their ids, which its hooks see, too.
 */

import {
  type ComponentRow,
  copyComponentRows,
  keptKeys,
  listComponentRows,
  rowKey,
} from "../../engine/documents/component-rows.ts";
import { deleteRemovedComponents } from "../../engine/documents/delete-row.ts";
import { readOwnLinks } from "../../engine/documents/link-rows.ts";
import { type Data, type Hashes, type RowIds, RowWriter } from "../../engine/documents/rows.ts";
import { together, type Work } from "../../engine/documents/steps.ts";
import type { Status } from "../../engine/query/reading.ts";
import {
  type ComponentOrZoneAttribute,
  componentAttributes,
  componentUids,
  entryUid,
  holdsComponents,
} from "../../engine/schema/entries.ts";
import { type Component, component, type Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { deleteBareRows } from "./bare-rows.ts";
import { linkEntries } from "./component-links.ts";
import { changedValues } from "./hook-data.ts";
import { HookedRows, type HookedWrite } from "./hooked-rows.ts";
import type { RawContext, RowAction } from "./row-hooks.ts";

/** Copies of components for a new version. Their links are copied with the version. */
export class CopiedComponents {
  /** By the keys of the rows that they are copies of. */
  readonly ids = new Map<string, number>();
  /** Write what hooks have changed, once the links are copied. */
  readonly changes: (() => void)[] = [];
}

/** How the rows of components are written. */
interface Writing {
  readonly status: Status;
  readonly hashes: Hashes | undefined;
  /** Set if the entries are stored ones, which have their ids, and are copied. */
  readonly copies?: CopiedComponents;
}

const actions: readonly RowAction[] = ["create", "update", "delete", "findOne"];

/** The data of a row without its components. */
export const withoutComponents = (schema: Schema, data: Data): Data =>
  pickBy(data, (_, name) => {
    const attribute = schema.attributes.get(name);
    return !attribute || !holdsComponents(attribute);
  });

export class HookedComponents {
  readonly #context: RawContext;

  constructor(context: RawContext) {
    this.#context = context;
  }

  /** Whether there may be hooks for writes of a schema, or of components below it. */
  watches(schema: Schema, visited = new Set<Schema>()): boolean {
    const { rowHooks: hooks, model } = this.#context;
    if (visited.has(schema)) return false;
    visited.add(schema);
    if (actions.some((action) => hooks.listens(schema, action))) return true;
    const uids = componentAttributes(schema).flatMap(componentUids);
    return uids.some((uid) => this.watches(component(model, uid), visited));
  }

  /** Creates the components in the data of a new row. Returns the data with their ids. */
  *create(schema: Schema, data: Data, writing: Writing): Work<Data> {
    const written = withoutComponents(schema, data);
    for (const attribute of componentAttributes(schema)) {
      const value = data[attribute.name];
      if (value === undefined || value === null) continue;
      const entries = [value].flat().filter(isRecord);
      const linked = yield* together(entries.map((entry) => this.#createEntry(attribute, entry, writing)));
      written[attribute.name] = attribute.many ? linked : linked[0];
    }
    return written;
  }

  /** Creates, updates and deletes the components of a row, as its data say. Returns the data with the ids of components. */
  *update(schema: Schema, row: RowIds, data: Data, hashes?: Hashes): Work<Data> {
    const written = withoutComponents(schema, data);
    for (const attribute of componentAttributes(schema)) {
      const value = data[attribute.name];
      if (value === undefined) continue;
      const entries = [value].flat().filter(isRecord);
      yield* this.#deleteReplaced(schema, row.id, attribute, entries);
      const writing = { status: row.status, hashes };
      const linked = yield* together(
        entries.map((entry) =>
          entry.id === undefined
            ? this.#createEntry(attribute, entry, writing)
            : this.#updateEntry(attribute, entry, writing),
        ),
      );
      written[attribute.name] = attribute.many ? linked : (linked[0] ?? null);
    }
    return written;
  }

  /** The components of a row, by attribute. */
  *load(schema: Schema, id: number): Work<ComponentRow[][]> {
    const attributes = componentAttributes(schema);
    if (attributes.length === 0) return [];
    return yield* this.#loadEntries(schema, id, attributes, { id });
  }

  /** Deletes components of a row that was deleted. */
  *delete(loaded: readonly (readonly ComponentRow[])[]): Work<void> {
    for (const entries of loaded) yield* together(entries.map((entry) => this.#deleteEntry(entry, entry.id)));
  }

  #findComponent(attribute: ComponentOrZoneAttribute, entry: Data): Component {
    return component(this.#context.model, entryUid(attribute, entry));
  }

  *#createEntry(attribute: ComponentOrZoneAttribute, entry: Data, writing: Writing): Work<Data> {
    const context = this.#context;
    const schema = this.#findComponent(attribute, entry);
    const { id: given, ...own } = entry;
    const data = yield* this.create(schema, own, writing);
    const { status, hashes, copies } = writing;
    // hooks may change what is in them
    const before = copies && structuredClone(data);
    const store: HookedWrite["store"] = (hooked, allHashes) => {
      const writer = new RowWriter(context, allHashes);
      const columns = withoutComponents(schema, hooked);
      const created = copies
        ? copyComponentRows(context, schema, [Number(given)])[0]!
        : writer.insertComponent(schema, status, columns);
      copies?.changes.push(() => {
        writer.patchComponent(schema, { id: created, status }, changedValues(schema, before!, columns));
      });
      linkEntries(context, schema, { id: created, status, isNew: true }, hooked);
      return created;
    };
    const { id } = yield* new HookedRows(context, schema).create({ data, hashes, store });
    copies?.ids.set(rowKey({ schema, id: Number(given) }), id);
    return linkTo(attribute, schema, id);
  }

  *#updateEntry(attribute: ComponentOrZoneAttribute, entry: Data, { status, hashes }: Writing): Work<Data> {
    const context = this.#context;
    const schema = this.#findComponent(attribute, entry);
    const row = { id: Number(entry.id), status };
    const data = yield* this.update(schema, row, entry, hashes);
    const store: HookedWrite["store"] = (hooked, allHashes) => {
      new RowWriter(context, allHashes).patchComponent(schema, row, withoutComponents(schema, hooked));
      linkEntries(context, schema, row, hooked);
      return row.id;
    };
    yield* new HookedRows(context, schema).update(row.id, { data, hashes, store }, { id: entry.id });
    return linkTo(attribute, schema, row.id);
  }

  /** Deletes entries without an id in the data, one after the other. */
  *#deleteReplaced(
    schema: Schema,
    id: number,
    attribute: ComponentOrZoneAttribute,
    entries: readonly Data[],
  ): Work<void> {
    const [old = []] = yield* this.#loadEntries(schema, id, [attribute], { id });
    const kept = keptKeys(attribute, entries, new Set(old.map(rowKey)));
    // as in Strapi, their ids are strings here
    for (const entry of old) if (!kept.has(rowKey(entry))) yield* this.#deleteEntry(entry, String(entry.id));
  }

  *#deleteEntry({ schema, id }: ComponentRow, shownId: unknown): Work<void> {
    const where = { id: shownId };
    for (const attribute of componentAttributes(schema)) {
      const [entries = []] = yield* this.#loadEntries(schema, id, [attribute], where);
      yield* together(entries.map((entry) => this.#deleteEntry(entry, entry.id)));
    }
    const remove = (): void => {
      deleteRemovedComponents(this.#context, schema, id);
      deleteBareRows(this.#context, schema, [id]);
    };
    yield* new HookedRows(this.#context, schema).delete(id, undefined, remove, where);
  }

  *#loadEntries(
    schema: Schema,
    id: number,
    attributes: readonly ComponentOrZoneAttribute[],
    where: Data,
  ): Work<ComponentRow[][]> {
    const populate = Object.fromEntries(attributes.map(({ name }) => [name, true]));
    yield* new HookedRows(this.#context, schema).lookup("findOne", { select: ["id"], where, populate }, [id]);
    const own = readOwnLinks(this.#context, schema, [id])(id);
    return attributes.map((attribute) => listComponentRows(this.#context, attribute, own));
  }
}

/** The entry of a written component, as hooks of its owner get it. */
const linkTo = ({ kind, name }: ComponentOrZoneAttribute, { uid }: Component, id: number): Data =>
  kind === "zone"
    ? { id, __component: uid, __pivot: { field: name } }
    : { id, __pivot: { field: name, component_type: uid } };
