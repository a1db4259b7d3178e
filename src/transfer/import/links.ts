/** Writes links of an archive as stored links between rows. */
import { FILE } from "../../engine/schema/builtin/index.ts";
import type { LinkAttribute, Model, Schema } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { isId, type LinkEnd, type LinkRow } from "../archive/shapes.ts";
import type { LeftOut } from "../left-out.ts";
import type { LinkInserter } from "./link-inserter.ts";
import { Localizations } from "./localizations.ts";
import type { ImportScope } from "./scope.ts";

/** The attribute that stores a link. */
interface LinkField {
  readonly schema: Schema;
  readonly attribute: LinkAttribute;
}

const isLocalizations = ({ left }: LinkRow): boolean => left.field === "localizations";

export function createLinkWriter(
  { storage, model }: { readonly storage: Storage; readonly model: Model },
  scope: ImportScope,
  inserter: LinkInserter,
  leftOut: LeftOut,
) {
  /** Number of links to files, which is their position in the files' lists. */
  let fileUses = 0;
  const localizations = new Localizations();
  /** Number of links to missing documents. */
  let missing = 0;

  function write(link: LinkRow): void {
    if (isLocalizations(link)) return localization(link);
    if (!isId(link.left.ref) || !isId(link.right.ref)) return;
    if (link.kind === "relation.order") return order(link);
    const written = link.kind === "relation.morph" && link.left.type === FILE ? media(link) : relation(link);
    if (written) return;
    const { type, field } = link.kind === "relation.morph" && link.left.type === FILE ? link.right : link.left;
    leftOut.add("links", `${type}.${field}`);
  }

  /** Links between localizations in archives of version 4. In version 5, the right end is a document id, and is not needed. */
  function localization({ left, right }: LinkRow): void {
    if (isId(left.ref) && isId(right.ref) && left.type === right.type)
      localizations.add(left.type, left.ref, right.ref);
  }

  /** The row id of an end; undefined for a missing document. */
  function rowId(schema: Schema, { ref, documentId, status, locale }: LinkEnd): number | undefined {
    if (typeof documentId !== "string") return scope.findId(schema, ref as number);
    // the new row, if a document is replaced
    const sql = `SELECT max(id) FROM ${quote(schema.table)} WHERE document_id = ? AND locale IS ? AND status = ?`;
    return (storage.first(sql, [documentId, locale ?? null, status ?? "published"])?.[0] ?? undefined) as
      | number
      | undefined;
  }

  /**
   * The position of a document in the list of its target, as read from the target. For polymorphic links, the list contains
   * those with the name of its attribute.
   */
  function order({ left, right }: LinkRow): void {
    const linkField = findField(left);
    const other = findSchema(right.type);
    if (linkField?.attribute.link.side !== "inverse" || !other) return;
    const owner = rowId(other, right);
    if (owner === undefined) return;
    inserter.flush();
    const { field, targetAttribute } = linkField.attribute.link;
    const link = [owner, storage.number(field), scope.findId(linkField.schema, left.ref as number)];
    const update = "UPDATE galley_links SET inverse = ?";
    const where = "WHERE owner = ? AND field = ? AND target = ?";
    if (targetAttribute === undefined) {
      storage.run(`${update} ${where}`, [right.pos ?? 1, ...link]);
      return;
    }
    const kind = storage.number(linkField.schema.table);
    const unnamed = `${where} AND kind = ? AND target_attribute IS NULL`;
    storage.run(
      `${update}, target_attribute = ? ${unnamed} AND position = (SELECT min(position) FROM galley_links ${unnamed})`,
      [right.pos ?? 1, targetAttribute, ...link, kind, ...link, kind],
    );
  }

  const findSchema = (uid: string): Schema | undefined => model.types.get(uid) ?? model.components.get(uid);

  function findField({ type, field }: LinkEnd): LinkField | undefined {
    const schema = findSchema(type);
    const attribute = schema?.attributes.get(field ?? "");
    if (!schema || (attribute?.kind !== "relation" && attribute?.kind !== "media")) return undefined;
    return attribute.link.field === "" ? undefined : { schema, attribute };
  }

  /** A file on the left is used by the attribute on the right. */
  function media({ left, right }: LinkRow): boolean {
    const linkField = findField(right);
    const files = findSchema(FILE);
    if (linkField?.attribute.kind !== "media" || !files) return false;
    const { schema, attribute } = linkField;
    const owner = scope.findId(schema, right.ref as number);
    const file = rowId(files, left);
    if (file === undefined) {
      missing++;
      return true;
    }
    inserter.add(storage.number(attribute.link.field), owner, right.pos ?? 1, file, 0, ++fileUses);
    return true;
  }

  function relation({ left, right }: LinkRow): boolean {
    const linkField = findField(left);
    const target = findSchema(right.type);
    if (linkField?.attribute.kind !== "relation" || !target) return false;
    const { schema, attribute } = linkField;
    if (attribute.target !== undefined && attribute.target !== right.type) return false;
    const leftId = scope.findId(schema, left.ref as number);
    const rightId = rowId(target, right);
    if (rightId === undefined) {
      missing++;
      return true;
    }
    const field = storage.number(attribute.link.field);
    const [leftPosition, rightPosition] = [left.pos ?? 1, right.pos ?? 1];
    if (attribute.link.side === "inverse") {
      const kind = attribute.link.polymorphic ? storage.number(schema.table) : 0;
      inserter.add(field, rightId, rightPosition, leftId, kind, leftPosition);
    } else if (attribute.link.polymorphic) {
      const kind = storage.number(target.table);
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

  return {
    localizations,
    write,
    get missing() {
      return missing;
    },
  };
}
