/**
 * Folders of the media library. The `path` of a folder has the `pathId`s from the root to itself (`/1/4`). Files have the path
 * of their folder, so that everything below a folder is found by one condition.
 */
import type { DocumentsContext } from "../documents/context.ts";
import { deleteRow } from "../documents/delete-row.ts";
import { RowWriter } from "../documents/rows.ts";
import { FILE, FOLDER } from "../schema/builtin/index.ts";
import { type ContentType, contentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";

export interface FolderRow {
  readonly id: number;
  readonly name: string;
  readonly pathId: number;
  readonly path: string;
}

export const ROOT_PATH = "/";

/** The folder of uploads by the Content API, which is created on first use. */
const API_FOLDER_NAME = "API Uploads";
/** Meta key: id of that folder, which may have been renamed. */
export const API_FOLDER_META = "api_upload_folder";

const join = (parentPath: string, pathId: number): string =>
  parentPath === ROOT_PATH ? `/${pathId}` : `${parentPath}/${pathId}`;

/** A link to a folder, for `RowWriter`; null: the root, which has no row. */
export const folderLink = (id: number | null): { readonly set: readonly { readonly id: number }[] } => ({
  set: id === null ? [] : [{ id }],
});

/** Every method that writes must run in a transaction. */
export class Folders {
  readonly #context: DocumentsContext;

  constructor(context: DocumentsContext) {
    this.#context = context;
  }

  get #type(): ContentType {
    return contentType(this.#context.model, FOLDER);
  }

  #rows(where: string, params: readonly (string | number | null)[]): FolderRow[] {
    const sql = `SELECT id, name, "pathId", path FROM ${quote(this.#type.table)} t WHERE ${where}`;
    return this.#context.storage
      .all(sql, [...params])
      .map(([id, name, pathId, path]) => ({ id, name, pathId, path }) as FolderRow);
  }

  find(id: number): FolderRow | undefined {
    return this.#rows("id = ?", [id])[0];
  }

  list(ids: readonly number[]): FolderRow[] {
    return this.#rows("id IN (SELECT value FROM json_each(?))", [JSON.stringify(ids)]);
  }

  /** The folders with these paths, and all folders below them. */
  below(paths: readonly string[]): FolderRow[] {
    return this.#rows(belowSql("t.path"), [JSON.stringify(paths)]);
  }

  /** The ids of all files in these folders and below. */
  filesBelow(paths: readonly string[]): number[] {
    const { storage, model } = this.#context;
    const sql = `SELECT id FROM ${quote(contentType(model, FILE).table)} t WHERE ${belowSql('t."folderPath"')}`;
    return storage.all(sql, [JSON.stringify(paths)]).map(([id]) => id as number);
  }

  /** The direct children of a folder, or of the root. */
  listChildren(parent: number | null): FolderRow[] {
    const field = this.#context.storage.number(this.#parentField);
    const links = "FROM galley_links l WHERE l.field = ? AND l.owner = t.id";
    return parent === null
      ? this.#rows(`NOT EXISTS (SELECT 1 ${links})`, [field])
      : this.#rows(`EXISTS (SELECT 1 ${links} AND l.target = ?)`, [field, parent]);
  }

  /** Parents by folder id, without folders in the root. */
  parents(): ReadonlyMap<number, number> {
    const { storage } = this.#context;
    const sql = "SELECT owner, target FROM galley_links WHERE field = ?";
    return new Map(storage.all(sql, [storage.number(this.#parentField)]) as [number, number][]);
  }

  get #parentField(): string {
    const parent = this.#type.attributes.get("parent");
    if (parent?.kind !== "relation") throw new Error("Folders have no parents");
    return parent.link.field;
  }

  all(): FolderRow[] {
    return this.#rows("1", []);
  }

  /** The path of a folder, or of the root for null; undefined for an unknown one. */
  findPath(id: number | null): string | undefined {
    return id === null ? ROOT_PATH : this.find(id)?.path;
  }

  nextPathId(): number {
    const sql = `SELECT coalesce(max("pathId"), 0) FROM ${quote(this.#type.table)}`;
    return (this.#context.storage.first(sql)![0] as number) + 1;
  }

  create(name: string, parent: number | null): FolderRow {
    const pathId = this.nextPathId();
    const path = join(this.findPath(parent) ?? ROOT_PATH, pathId);
    const version = { documentId: this.#context.ids.documentId(), locale: null, status: "published" } as const;
    const data = { name, pathId, path, parent: folderLink(parent) };
    const id = new RowWriter(this.#context).insert(this.#type, version, data);
    return { id, name, pathId, path };
  }

  /** The folder of uploads by the Content API, which is created if missing. */
  apiFolder(): FolderRow {
    const { storage } = this.#context;
    const storedId = storage.meta(API_FOLDER_META);
    const existing = storedId === undefined ? undefined : this.find(Number(storedId));
    if (existing) return existing;
    const usedNames = new Set(this.listChildren(null).map(({ name }) => name));
    let name = API_FOLDER_NAME;
    for (let number = 1; usedNames.has(name); number++) name = `${API_FOLDER_NAME} (${number})`;
    const folder = this.create(name, null);
    storage.setMeta(API_FOLDER_META, String(folder.id));
    return folder;
  }

  rename(id: number, name: string): void {
    new RowWriter(this.#context).update(this.#type, { id, status: "published" }, { name });
  }

  /** Moves a folder with everything below it. The parent must exist, and must not be below the folder. */
  move({ id, path, pathId }: FolderRow, parent: number | null): void {
    const { storage, model } = this.#context;
    new RowWriter(this.#context).patch(this.#type, { id, status: "published" }, { parent: folderLink(parent) });
    const next = join(this.findPath(parent) ?? ROOT_PATH, pathId);
    for (const [table, column] of [
      [this.#type.table, "path"],
      [contentType(model, FILE).table, "folderPath"],
    ] as const) {
      const at = `t.${quote(column)}`;
      const sql = `UPDATE ${quote(table)} AS t SET ${quote(column)} = ? || substr(${at}, ?) WHERE ${belowSql(at)}`;
      storage.run(sql, [next, path.length + 1, JSON.stringify([path])]);
    }
  }

  remove(id: number): void {
    deleteRow(this.#context, this.#type, id);
  }
}

/** Whether a folder is equal to another one, or below it. */
export const isBelow = (path: string, of: string): boolean => path === of || path.startsWith(`${of}/`);

const belowSql = (column: string): string =>
  `EXISTS (SELECT 1 FROM json_each(?) p WHERE ${column} = p.value OR substr(${column}, 1, length(p.value) + 1) = p.value || '/')`;
