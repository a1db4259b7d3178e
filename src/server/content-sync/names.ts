/** The names of documents and media in files, in both directions. A document without a file is given a name when it is first asked for. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { documentName, namingAttributes } from "../../transfer/content/document-names.ts";
import { folderOf, MEDIA_FOLDER, nameOf } from "../../transfer/content/file-paths.ts";
import type { LinkTarget, LinkTargets } from "../../transfer/content/link-input.ts";
import { findUser } from "../../transfer/content/users.ts";
import type { SyncState } from "./state.ts";

export class SyncNames implements LinkTargets {
  readonly #context: DocumentsContext;
  readonly #state: SyncState;
  readonly #isOnDisk: (name: string) => boolean;
  /** Of documents without a file in the state, by uid and id. */
  readonly #given: Map<string, string>;
  readonly #documents: Map<string, LinkTarget>;

  /** `isOnDisk`: whether there is a file of a name. `known`: has the names that were given so far. */
  constructor(context: DocumentsContext, state: SyncState, isOnDisk: (name: string) => boolean, known?: SyncNames) {
    this.#context = context;
    this.#isOnDisk = isOnDisk;
    this.#state = state;
    this.#given = known ? known.#given : new Map();
    this.#documents = known ? known.#documents : new Map();
  }

  /** The same names, for another connection to the database. */
  on(context: DocumentsContext, state: SyncState): SyncNames {
    return new SyncNames(context, state, this.#isOnDisk, this);
  }

  /** Registers the document of a file that is not in the state yet. */
  give(type: ContentType, documentId: string, name: string): void {
    this.#given.set(`${type.uid} ${documentId}`, name);
    this.#documents.set(name, { uid: type.uid, documentId });
  }

  /** Registers a file that is not valid. */
  giveAbsent({ uid }: ContentType, name: string): void {
    this.#documents.set(name, { uid, documentId: name, isAbsent: true });
  }

  document(name: string): LinkTarget | undefined {
    const found = this.#documents.get(name) ?? this.#state.documentAt(name) ?? findUser(this.#context, name);
    if (found) return found;
    // file systems differ in how they store composed letters
    const other = name.normalize("NFC") === name ? name.normalize("NFD") : name.normalize("NFC");
    return other === name ? undefined : (this.#documents.get(other) ?? this.#state.documentAt(other));
  }

  media(path: string): number | undefined {
    const file = this.#state.files([`${MEDIA_FOLDER}/${path}`]).get(`${MEDIA_FOLDER}/${path}`);
    if (!file) return undefined;
    const sql = `SELECT id FROM ${quote(contentType(this.#context.model, FILE).table)} WHERE document_id = ?`;
    return this.#context.storage.first(sql, [file.documentId])?.[0] as number | undefined;
  }

  nameOfDocument(uid: string, documentId: string): string | undefined {
    const given = this.#given.get(`${uid} ${documentId}`);
    if (given !== undefined) return given;
    const path = this.#state.findPath(uid, documentId);
    if (path !== undefined) return nameOf(path);
    const type = this.#context.model.types.get(uid);
    return type && this.#newName(type, documentId);
  }

  nameOfMedia(id: number): string | undefined {
    const sql = `SELECT document_id FROM ${quote(contentType(this.#context.model, FILE).table)} WHERE id = ?`;
    const documentId = this.#context.storage.first(sql, [id])?.[0] as string | undefined;
    const path = documentId === undefined ? undefined : this.#state.findPath(FILE, documentId);
    return path?.slice(MEDIA_FOLDER.length + 1);
  }

  /** Undefined for a document that does not exist. */
  #newName(type: ContentType, documentId: string): string | undefined {
    const attributes = namingAttributes(type);
    const columns = ["id", ...attributes.map(({ column }) => column)].map(quote).join(", ");
    const row = this.#context.storage.first(
      `SELECT ${columns} FROM ${quote(type.table)} WHERE document_id = ? ORDER BY locale IS NOT ?, locale, status LIMIT 1`,
      [documentId, this.#context.defaultLocale()],
    );
    if (!row) return undefined;
    const data = Object.fromEntries(attributes.map(({ name }, index) => [name, row[index + 1]]));
    const folder = folderOf(type);
    const isFree = (name: string): boolean =>
      !this.#documents.has(name) && !this.#state.isTaken(name) && !this.#isOnDisk(name);
    const name =
      type.kind === "singleType"
        ? type.singularName
        : `${folder}/${documentName(type, documentId, data, (candidate) => isFree(`${folder}/${candidate}`))}`;
    this.give(type, documentId, name);
    return name;
  }
}
