/**
 * Links that published rows, and components in them, keep to documents that are not published, for when they are. They are no
 * relations of the rows.
 */
import { hasVersions, type Model, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { ReadContext } from "./read-context.ts";

type Source = Pick<ReadContext, "model" | "storage">;

/** An attribute that holds components: its link field, and the schema of its owner. */
interface Holder {
  readonly schema: Schema;
  readonly field: string;
  readonly isZone: boolean;
}

type Holders = ReadonlyMap<string, readonly Holder[]>;

const holdersByModel = new WeakMap<Model, Holders>();

/** The attributes that hold each component, by its uid. */
function holdersOf(model: Model): Holders {
  const known = holdersByModel.get(model);
  if (known) return known;
  const holders = new Map<string, Holder[]>();
  for (const schema of [...model.types.values(), ...model.components.values()]) {
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "component" && attribute.kind !== "zone") continue;
      const isZone = attribute.kind === "zone";
      const holder = { schema, field: attribute.link.field, isZone };
      for (const uid of attribute.kind === "zone" ? attribute.components : [attribute.component])
        holders.getOrInsertComputed(uid, () => []).push(holder);
    }
  }
  holdersByModel.set(model, holders);
  return holders;
}

/** The condition that a row, or the entry that a component row belongs to, is published; undefined: it never is. */
function publishedSql(
  { model, storage }: Source,
  schema: Schema,
  row: string,
  path: readonly Schema[] = [],
): string | undefined {
  if (schema.modelType === "contentType") {
    if (!schema.draftAndPublish) return undefined;
    return `EXISTS (SELECT 1 FROM ${quote(schema.table)} o WHERE o.id = ${row} AND o.status = 'published')`;
  }
  if (path.includes(schema)) return undefined;
  const parts = (holdersOf(model).get(schema.uid) ?? []).flatMap((holder) => {
    const link = `h${path.length}`;
    const owner = publishedSql({ model, storage }, holder.schema, `${link}.owner`, [...path, schema]);
    if (!owner) return [];
    const kind = holder.isZone ? storage.number(schema.table) : 0;
    return `EXISTS (SELECT 1 FROM galley_links ${link} WHERE ${link}.field = ${storage.number(holder.field)} AND ${link}.target = ${row} AND ${link}.kind = ${kind} AND ${owner})`;
  });
  return parts.length === 0 ? undefined : `(${parts.join(" OR ")})`;
}

/** Whether a read has to leave such links out: reads of one version do not find what they lead to. */
export const mayKeepLinks = (status: ReadContext["status"], schema: Schema, target: Schema): boolean =>
  status === undefined && hasVersions(target) && (hasVersions(schema) || schema.modelType === "component");

/** The condition that leaves them out. `link`: an alias of `galley_links`, whose owners are rows of `owner`. */
export function withoutKeptLinks(source: Source, link: string, owner: Schema, target: Schema): string {
  const published = publishedSql(source, owner, `${link}.owner`);
  if (!published) return "1";
  return `NOT EXISTS (SELECT 1 FROM ${quote(target.table)} d WHERE d.id = ${link}.target AND d.status = 'draft' AND ${published})`;
}
