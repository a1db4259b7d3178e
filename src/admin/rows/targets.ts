/** Resolves names in cells of relations and media: one statement per column, independent of the number of rows. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import {
  contentType,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { findMainField } from "../content-manager/main-field.ts";
import { editedStatus } from "../read-rows.ts";
import { CellProblem } from "./cells.ts";

export type LinkAttribute = RelationAttribute | MediaAttribute;

const SEPARATOR = /[,;\n]/;

/** A to-many cell has several names, separated by commas. A name that contains a comma is found only if it is the whole cell. */
function namesIn(text: string, { many }: LinkAttribute): readonly string[] {
  const whole = text.trim();
  if (whole === "") return [];
  return many ? [...new Set([whole, ...whole.split(SEPARATOR).map((name) => name.trim())])].filter(Boolean) : [whole];
}

export class LinkTargets {
  readonly #attribute: LinkAttribute;
  /** Ids by lower-case name; undefined for a name that several have. */
  readonly #ids = new Map<string, string | number | undefined>();

  /** `cells`: all of the column. */
  constructor(
    context: DocumentsContext,
    attribute: LinkAttribute,
    cells: readonly string[],
    locale: string | undefined,
  ) {
    this.#attribute = attribute;
    const names = [...new Set(cells.flatMap((text) => namesIn(text, attribute)).map((name) => name.toLowerCase()))];
    if (names.length > 0) this.#load(context, JSON.stringify(names), locale);
  }

  #load(context: DocumentsContext, names: string, locale: string | undefined): void {
    const { storage, model } = context;
    const attribute = this.#attribute;
    const inNames = "IN (SELECT value FROM json_each(?))";
    if (attribute.kind === "media") {
      const sql = `SELECT lower(name), id FROM ${quote(contentType(model, FILE).table)} WHERE lower(name) ${inNames}`;
      for (const [name, id] of storage.all(sql, [names])) this.#add(name as string, id as number);
      return;
    }
    const target = attribute.target === undefined ? undefined : model.types.get(attribute.target);
    if (!target) return;
    const main = target.attributes.get(findMainField(target)) as ScalarAttribute | undefined;
    const column = main ? quote(main.column) : "document_id";
    const sql = `SELECT lower(${column}), document_id FROM ${quote(target.table)}
      WHERE status = ? AND locale IS ? AND (lower(${column}) ${inNames} OR document_id ${inNames})`;
    const targetLocale = target.localized ? (locale ?? context.defaultLocale()) : null;
    for (const [name, documentId] of storage.all(sql, [editedStatus(target), targetLocale, names, names])) {
      if (typeof name === "string") this.#add(name, documentId as string);
      this.#ids.set(documentId as string, documentId as string);
    }
  }

  #add(name: string, id: string | number): void {
    this.#ids.set(name, this.#ids.has(name) ? undefined : id);
  }

  #findId(name: string): string | number {
    const key = name.toLowerCase();
    const id = this.#ids.get(key);
    if (id !== undefined) return id;
    throw new CellProblem(this.#ids.has(key) ? `Several are called "${name}"` : `Nothing is called "${name}"`);
  }

  /** Undefined for an empty cell. Throws a CellProblem for a name that nothing has, or several. */
  read(text: string): unknown {
    const [whole, ...names] = namesIn(text, this.#attribute);
    if (whole === undefined) return undefined;
    if (!this.#attribute.many) return this.#findId(whole);
    const isOneName = names.length === 0 || this.#ids.get(whole.toLowerCase()) !== undefined;
    return isOneName ? [this.#findId(whole)] : names.map((name) => this.#findId(name));
  }
}
