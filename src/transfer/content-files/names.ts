/** Resolves names in content files to entries of these files and users of config/galley.json. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import { type ContentType, contentType, type RelationAttribute } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/quote.ts";
import { DataProblem } from "./data.ts";
import { type ContentEntry, type ContentVersion, fileNameOf } from "./entries.ts";

/** The target of a relation, in the document service's shape. */
export interface Target {
  readonly documentId: string;
  /** For polymorphic relations. */
  readonly __type?: string;
}

export class Names {
  readonly #context: DocumentsContext;
  readonly #entries: ReadonlyMap<string, ContentEntry>;
  readonly #documents = new Map<string, string>();

  constructor(context: DocumentsContext, entries: ReadonlyMap<string, ContentEntry>) {
    this.#context = context;
    this.#entries = entries;
  }

  #user(name: string): string | undefined {
    const { table, pluralName } = contentType(this.#context.model, USER);
    if (!name.startsWith(`${pluralName}/`)) return undefined;
    const username = name.slice(pluralName.length + 1);
    const sql = `SELECT document_id FROM ${quote(table)} WHERE username = ?`;
    return this.#context.storage.first(sql, [username])?.[0] as string | undefined;
  }

  /** Returns the uid of the target's type. Throws a DataProblem for an unknown name or a target that the relation does not accept. */
  check(
    attribute: RelationAttribute,
    name: string,
    source: ContentType,
    version: ContentVersion,
    path: string,
  ): string {
    const { target } = attribute;
    if (target === USER) {
      if (this.#user(name)) return USER;
      throw new DataProblem(path, `config/galley.json has no user for "${name}"`);
    }
    const entry = this.#entries.get(name);
    if (!entry) throw new DataProblem(path, `there is no entry "${name}"`);
    if (target && entry.type.uid !== target) {
      const expected = fileNameOf(contentType(this.#context.model, target));
      throw new DataProblem(path, `must be one of ${expected}, not "${name}"`);
    }
    if (entry.type.localized) {
      const locale = source.localized ? version.locale : this.#context.defaultLocale();
      if (!entry.versions.some((other) => other.locale === locale))
        throw new DataProblem(path, `"${name}" has no locale ${locale}`);
    }
    return entry.type.uid;
  }

  /** Registers the document of an entry. */
  add(entry: ContentEntry, documentId: string): void {
    this.#documents.set(entry.name, documentId);
  }

  documentId(entry: ContentEntry): string | undefined {
    return this.#documents.get(entry.name);
  }

  /** Undefined for an entry that has not been loaded yet. */
  target(attribute: RelationAttribute, name: string): Target | undefined {
    const documentId = attribute.target === USER ? this.#user(name) : this.#documents.get(name);
    if (documentId === undefined) return undefined;
    return attribute.target ? { documentId } : { documentId, __type: this.#entries.get(name)!.type.uid };
  }
}
