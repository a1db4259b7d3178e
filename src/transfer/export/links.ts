/** Reads stored links between rows as links of an archive. Only the owning side of a relation is written. */
import { FILE } from "../../engine/schema/builtin/index.ts";
import {
  type MediaAttribute,
  type Model,
  ownsLinks,
  type RelationAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { LinkRow } from "../archive/shapes.ts";
import { visibleRows } from "./entities.ts";

/** Links per statement. */
const PAGE = 5_000;

type LinkTuple = [
  owner: number,
  position: number,
  target: number,
  kind: number,
  inverse: number,
  targetAttribute: string | null,
];

export function createLinkReader({ storage, model }: { readonly storage: Storage; readonly model: Model }) {
  /** Yields all links of a type's or component's rows. */
  function* links(schema: Schema): Generator<LinkRow> {
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind === "media") yield* media(schema, attribute);
      else if (attribute.kind === "relation" && ownsLinks(attribute))
        yield* attribute.target === undefined ? polymorphic(schema, attribute) : relation(schema, attribute);
    }
  }

  /** Yields links between exported rows. `target` undefined: targets of any type. */
  function* select(field: string, owner: Schema, target: Schema | undefined): Generator<LinkTuple> {
    const joins = [`JOIN ${quote(owner.table)} o ON o.id = l.owner`];
    const where = ["l.field = ?1", "(l.target, l.inverse, l.owner, l.position, l.kind) > (?2, ?3, ?4, ?5, ?6)"];
    if (owner.modelType === "contentType") where.push(visibleRows(owner, "o"));
    if (target) joins.push(`JOIN ${quote(target.table)} t ON t.id = l.target`);
    if (target?.modelType === "contentType") where.push(visibleRows(target, "t"));
    // keyset pagination on the index of targets
    const sql = `SELECT l.owner, l.position, l.target, l.kind, l.inverse, l.target_attribute FROM galley_links l ${joins.join(" ")}
      WHERE ${where.join(" AND ")} ORDER BY l.target, l.inverse, l.owner, l.position, l.kind LIMIT ${PAGE}`;
    const number = storage.number(field);
    for (let last: readonly number[] = [0, -1, 0, -1, 0]; ; ) {
      const links = storage.all(sql, [number, ...last]) as LinkTuple[];
      yield* links;
      if (links.length < PAGE) return;
      const [owner, position, to, kind, inverse] = links.at(-1)!;
      last = [to, inverse, owner, position, kind];
    }
  }

  function* relation(schema: Schema, attribute: RelationAttribute): Generator<LinkRow> {
    const target = model.types.get(attribute.target!);
    if (!target) return;
    const { name, relation, other, many } = attribute;
    const isOtherMany = other !== undefined && (target.attributes.get(other) as RelationAttribute | undefined)?.many;
    for (const [owner, position, ref, , inverse] of select(attribute.link.field, schema, target)) {
      yield {
        kind: target.uid === schema.uid ? "relation.circular" : "relation.basic",
        relation,
        left: { type: schema.uid, field: name, ref: owner, ...(many ? { pos: position } : {}) },
        right: {
          type: target.uid,
          ref,
          ...(other === undefined ? {} : { field: other }),
          ...(isOtherMany ? { pos: inverse } : {}),
        },
      };
    }
  }

  function* media(schema: Schema, { name, link }: MediaAttribute): Generator<LinkRow> {
    for (const [owner, pos, ref] of select(link.field, schema, model.types.get(FILE))) {
      yield {
        kind: "relation.morph",
        relation: "morphToMany",
        left: { type: FILE, field: "related", ref },
        right: { ref: owner, pos, type: schema.uid, field: name },
      };
    }
  }

  function* polymorphic(schema: Schema, { name, relation, link, many }: RelationAttribute): Generator<LinkRow> {
    const types = new Map([...model.types.values()].map((type) => [type.table, type]));
    for (const [owner, pos, ref, kind, , field] of select(link.field, schema, undefined)) {
      const target = types.get(storage.findName(kind) ?? "");
      if (!target) continue;
      yield {
        kind: "relation.morph",
        relation,
        left: { type: schema.uid, field: name, ref: owner },
        right: many ? { ref, pos, type: target.uid, field } : { ref, type: target.uid },
      };
    }
  }

  return { links };
}
