/** Decides which rows an import replaces, and maps ids of the archive to row ids. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { LOCALE, PERMISSION, ROLE, USER } from "../../engine/schema/builtin/index.ts";
import { contentType, type Model, type Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { isId } from "../archive/shapes.ts";
import type { LeftOut } from "../left-out.ts";
import type { LinkInserter } from "./link-inserter.ts";

/** Assigns the ids of one type. */
function createRowOrder() {
  let last = 0;
  /** Ids up to this one were kept; undefined: all ids so far were ascending. */
  let ascendingUpTo: number | undefined;
  const newIds = new Map<number, number>();

  /** The new id of the next row; undefined for a repeated one. `exists`: whether a row was imported with this id. */
  function assign(id: number, exists: (id: number) => boolean): number | undefined {
    if (ascendingUpTo === undefined && id > last) {
      last = id;
      return id;
    }
    ascendingUpTo ??= last;
    if (newIds.has(id) || (id <= ascendingUpTo && exists(id))) return undefined;
    newIds.set(id, ++last);
    return isId(last) ? last : undefined;
  }

  /** The new id of an imported row; undefined for an id that no row had, and that another row may have got. */
  const findId = (id: number): number | undefined =>
    newIds.get(id) ?? (ascendingUpTo === undefined || id <= ascendingUpTo ? id : undefined);

  return { assign, findId };
}

/**
 * Groups of types that are replaced only if the archive has rows of one of them. After importing an archive with content only, users
 * can still log in.
 */
const GROUPS: readonly (readonly string[])[] = [[ROLE, PERMISSION, USER], [LOCALE]];
const GROUPED = new Set(GROUPS.flat());

/** "merge" keeps documents that the archive does not have. */
export type ImportMode = "replace" | "merge";

export const listSchemas = (model: Model): Schema[] => [...model.types.values(), ...model.components.values()];

export class ImportScope {
  readonly #storage: Storage;
  readonly #model: Model;
  readonly mode: ImportMode;
  /** Existing rows that are used instead of rows of the archive, by table and archive id. */
  readonly #aliases = new Map<string, Map<number, number>>();
  readonly #orders = new Map<string, ReturnType<typeof createRowOrder>>();
  readonly #cleared = new Set<readonly string[]>();
  /** The last id of each table before the import. It is added to all ids of the archive, so that no map of ids is needed. */
  readonly #offsets: Map<string, number>;

  constructor(storage: Storage, model: Model, mode: ImportMode) {
    this.#storage = storage;
    this.#model = model;
    this.mode = mode;
    this.#offsets = new Map(
      listSchemas(model).map(({ table }) => [table, this.mode === "merge" ? this.#lastId(table) : 0] as const),
    );
  }

  #lastId(table: string): number {
    return this.#storage.first(`SELECT coalesce(max(id), 0) FROM ${quote(table)}`)![0] as number;
  }

  /** Imported rows have larger ids than this. */
  findOffset({ table }: Schema): number {
    return this.#offsets.get(table)!;
  }

  /** Called when the imported rows of a type have got the ids of the archive. */
  clearOffset({ table }: Schema): void {
    this.#offsets.set(table, 0);
  }

  /** Whether an import replaces the rows of a type. `imported`: uids of types with rows in the archive. */
  isReplaced(uid: string, imported: ReadonlySet<string>): boolean {
    return GROUPS.find((members) => members.includes(uid))?.some((member) => imported.has(member)) ?? true;
  }

  /** The row id for an id of the archive. Ids without a row may get a negative one, so that their links are dangling. */
  findId(schema: Schema, id: number): number {
    const { table } = schema;
    const alias = this.#aliases.get(table)?.get(id);
    if (alias !== undefined) return alias;
    const order = this.#orders.get(table);
    const newId = order ? order.findId(id) : id;
    return newId === undefined ? -id : newId + this.findOffset(schema);
  }

  /** Assigns the id of the next row; undefined for a repeated row. */
  newId(schema: Schema, id: number): number | undefined {
    const offset = this.findOffset(schema);
    const order = this.#orders.getOrInsertComputed(schema.table, () => createRowOrder());
    const sql = `SELECT 1 FROM ${quote(schema.table)} WHERE id = ?`;
    const newId = order.assign(id, (candidate) => this.#storage.first(sql, [candidate + offset]) !== undefined);
    return newId === undefined ? undefined : newId + offset;
  }

  /** The next free id. */
  nextId({ table }: Schema): number {
    return this.#lastId(table) + 1;
  }

  /** Maps a row of the archive to an existing one. */
  setAlias({ table }: Schema, id: number, existing: number): void {
    this.#aliases.getOrInsertComputed(table, () => new Map()).set(id, existing);
  }

  /** Removes the content that is replaced, and all links except those of users, roles and locales. */
  clearContent(): void {
    if (this.mode === "merge") return;
    for (const schema of listSchemas(this.#model)) if (!GROUPED.has(schema.uid)) this.#emptyTable(schema.table);
    const keptFields = [...GROUPED].flatMap((uid) => this.#listFields(contentType(this.#model, uid).table));
    this.#storage.run("DELETE FROM galley_links WHERE field NOT IN (SELECT value FROM json_each(?))", [
      JSON.stringify(keptFields),
    ]);
  }

  /** Removes the rows of a type's group. Called before each entity is written. */
  clearGroup(uid: string): void {
    if (this.mode === "merge") return;
    const group = GROUPS.find((members) => members.includes(uid));
    if (!group || this.#cleared.has(group)) return;
    this.#cleared.add(group);
    for (const member of group) {
      const { table } = contentType(this.#model, member);
      this.#emptyTable(table);
      this.#storage.run("DELETE FROM galley_links WHERE field IN (SELECT value FROM json_each(?))", [
        JSON.stringify(this.#listFields(table)),
      ]);
      // end the sessions of removed users
      if (member === USER) this.#storage.run("DELETE FROM galley_sessions");
    }
  }

  #emptyTable(table: string): void {
    this.#storage.run(`DELETE FROM ${quote(table)}`);
    this.#storage.run("DELETE FROM sqlite_sequence WHERE name = ?", [table]);
  }

  /** The numbers of all link fields of a table, including those of earlier schemas. Their names start with the table's name. */
  #listFields(table: string): number[] {
    const sql = "SELECT id FROM galley_names WHERE substr(name, 1, ?) = ?";
    const prefix = `${table}.`;
    return this.#storage.all(sql, [prefix.length, prefix]).map(([id]) => id as number);
  }
}

/** What the writers of an import share. */
export interface ImportWork {
  readonly context: DocumentsContext;
  readonly scope: ImportScope;
  readonly inserter: LinkInserter;
  readonly leftOut: LeftOut;
}
