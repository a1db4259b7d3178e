/** Writes links of an archive as stored links between rows. */
import { FILE } from "../../engine/schema/builtin/index.ts";
import type { Model, Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { isId, type LinkEnd, type LinkRow } from "../archive/shapes.ts";
import { Localizations } from "./localizations.ts";
import type { ImportWork } from "./scope.ts";

const isLocalizations = ({ left }: LinkRow): boolean => left.field === "localizations";

const findSchema = ({ types, components }: Model, uid: string): Schema | undefined =>
  types.get(uid) ?? components.get(uid);

/** The attribute that stores a link. */
function findField(model: Model, { type, field }: LinkEnd) {
  const schema = findSchema(model, type);
  const attribute = schema?.attributes.get(field ?? "");
  if (!schema || (attribute?.kind !== "relation" && attribute?.kind !== "media")) return undefined;
  return attribute.link.field === "" ? undefined : { schema, attribute };
}

export class LinkWriter {
  readonly #work: ImportWork;
  /** Number of links to files, which is their position in the files' lists. */
  #fileUses = 0;
  readonly localizations = new Localizations();
  /** Number of links to missing documents. */
  missing = 0;

  constructor(work: ImportWork) {
    this.#work = work;
  }

  write(link: LinkRow): void {
    if (isLocalizations(link)) return this.#localization(link);
    if (!isId(link.left.ref) || !isId(link.right.ref)) return;
    if (link.kind === "relation.order") return this.#order(link);
    const isMedia = link.kind === "relation.morph" && link.left.type === FILE;
    if (isMedia ? this.#media(link) : this.#relation(link)) return;
    const [owner, target] = isMedia ? [link.right, link.left] : [link.left, link.right];
    const name = `${owner.type}.${owner.field}`;
    const { context, leftOut } = this.#work;
    // an attribute that is here does not lead to the type
    leftOut.add("links", findField(context.model, owner) ? `${name}: ${target.type}` : name);
  }

  /** Links between localizations in archives of version 4. In version 5, the right end is a document id, and is not needed. */
  #localization({ left, right }: LinkRow): void {
    if (isId(left.ref) && isId(right.ref) && left.type === right.type)
      this.localizations.add(left.type, left.ref, right.ref);
  }

  /** The row id of an end; undefined for a missing document. */
  #rowId(schema: Schema, { ref, documentId, status, locale }: LinkEnd): number | undefined {
    const { context, scope } = this.#work;
    if (typeof documentId !== "string") return scope.findId(schema, ref as number);
    // the new row, if a document is replaced
    const sql = `SELECT max(id) FROM ${quote(schema.table)} WHERE document_id = ? AND locale IS ? AND status = ?`;
    return (context.storage.first(sql, [documentId, locale ?? null, status ?? "published"])?.[0] ?? undefined) as
      | number
      | undefined;
  }

  /**
   * The position of a document in the list of its target, as read from the target. For polymorphic links, the list contains
   * those with the name of its attribute.
   */
  #order({ left, right }: LinkRow): void {
    const { context, scope, inserter } = this.#work;
    const linkField = findField(context.model, left);
    const other = findSchema(context.model, right.type);
    if (linkField?.attribute.link.side !== "inverse" || !other) return;
    const owner = this.#rowId(other, right);
    if (owner === undefined) return;
    inserter.flush();
    const { field, targetAttribute } = linkField.attribute.link;
    const link = [owner, context.storage.number(field), scope.findId(linkField.schema, left.ref as number)];
    const update = "UPDATE galley_links SET inverse = ?";
    const where = "WHERE owner = ? AND field = ? AND target = ?";
    if (targetAttribute === undefined) {
      context.storage.run(`${update} ${where}`, [right.pos ?? 1, ...link]);
      return;
    }
    const kind = context.storage.number(linkField.schema.table);
    const unnamed = `${where} AND kind = ? AND target_attribute IS NULL`;
    context.storage.run(
      `${update}, target_attribute = ? ${unnamed} AND position = (SELECT min(position) FROM galley_links ${unnamed})`,
      [right.pos ?? 1, targetAttribute, ...link, kind, ...link, kind],
    );
  }

  /** A file on the left is used by the attribute on the right. */
  #media({ left, right }: LinkRow): boolean {
    const { context, scope, inserter } = this.#work;
    const linkField = findField(context.model, right);
    const files = findSchema(context.model, FILE);
    if (linkField?.attribute.kind !== "media" || !files) return false;
    const { schema, attribute } = linkField;
    const owner = scope.findId(schema, right.ref as number);
    const file = this.#rowId(files, left);
    if (file === undefined) {
      this.missing++;
      return true;
    }
    inserter.add(context.storage.number(attribute.link.field), owner, right.pos ?? 1, file, 0, ++this.#fileUses);
    return true;
  }

  #relation({ left, right }: LinkRow): boolean {
    const { context, scope, inserter } = this.#work;
    const linkField = findField(context.model, left);
    const target = findSchema(context.model, right.type);
    if (linkField?.attribute.kind !== "relation" || !target) return false;
    const { schema, attribute } = linkField;
    if (attribute.target !== undefined && attribute.target !== right.type) return false;
    const leftId = scope.findId(schema, left.ref as number);
    const rightId = this.#rowId(target, right);
    if (rightId === undefined) {
      this.missing++;
      return true;
    }
    const field = context.storage.number(attribute.link.field);
    const [leftPosition, rightPosition] = [left.pos ?? 1, right.pos ?? 1];
    if (attribute.link.side === "inverse") {
      const kind = attribute.link.polymorphic ? context.storage.number(schema.table) : 0;
      inserter.add(field, rightId, rightPosition, leftId, kind, leftPosition);
    } else if (attribute.link.polymorphic) {
      const kind = context.storage.number(target.table);
      // the left end of a polymorphic link has no position
      const link = {
        owner: leftId,
        order: right.pos ?? left.pos ?? 1,
        target: rightId,
        kind,
        targetAttribute: right.field ?? null,
      };
      if (attribute.many) inserter.addPolymorphic(field, link);
      else inserter.add(field, leftId, 1, rightId, kind, 1);
    } else if (typeof right.pos === "number") inserter.addInOrder(field, leftId, leftPosition, rightId, rightPosition);
    else inserter.add(field, leftId, leftPosition, rightId, 0, rightPosition);
    return true;
  }
}
