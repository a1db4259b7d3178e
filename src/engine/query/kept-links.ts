/**
 * Links that published rows, and components in them, keep to documents that are not published, for when they are. They are no
 * relations of the rows.
 */
import { componentAttributes, componentUids } from "../schema/entries.ts";
import { hasVersions, type Model, type Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { ReadContext } from "./reading.ts";

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
const holdersIn = (model: Model): Holders => holdersByModel.getOrInsertComputed(model, findHolders);

function findHolders(model: Model): Holders {
  const holders = new Map<string, Holder[]>();
  for (const schema of [...model.types.values(), ...model.components.values()]) {
    for (const attribute of componentAttributes(schema)) {
      const isZone = attribute.kind === "zone";
      const holder = { schema, field: attribute.link.field, isZone };
      for (const uid of componentUids(attribute)) holders.getOrInsertComputed(uid, () => []).push(holder);
    }
  }
  return holders;
}

/** A step from a component's row to the row that holds it: the link field that led to the component (0 for none), and that of the holder. */
type Step = readonly [from: number, to: number, kind: number];

/** All steps from a component's rows upwards, and the link fields of content-types with drafts, in which they end. */
function stepsFrom({ model, storage }: Source, component: Schema) {
  const steps: Step[] = [];
  const entries = new Map<Schema, number[]>();
  const seen = new Set<number>();
  const follow = (schema: Schema, from: number): void => {
    for (const holder of holdersIn(model).get(schema.uid) ?? []) {
      const to = storage.number(holder.field);
      steps.push([from, to, holder.isZone ? storage.number(schema.table) : 0]);
      if (seen.has(to)) continue;
      seen.add(to);
      if (holder.schema.modelType === "component") follow(holder.schema, to);
      else if (holder.schema.draftAndPublish) entries.getOrInsertComputed(holder.schema, () => []).push(to);
    }
  };
  follow(component, 0);
  return { steps, entries };
}

/**
 * The condition that a row, or the entry that a component row belongs to, is published; undefined: it never is. Its length grows with the
 * number of attributes that hold components, not with the number of paths through them.
 */
function publishedSql(source: Source, schema: Schema, row: string): string | undefined {
  if (schema.modelType === "contentType") {
    if (!schema.draftAndPublish) return undefined;
    return `EXISTS (SELECT 1 FROM main.${quote(schema.table)} o WHERE o.id = ${row} AND o.status = 'published')`;
  }
  const { steps, entries } = stepsFrom(source, schema);
  if (entries.size === 0) return undefined;
  const isPublished = [...entries].map(
    ([{ table }, fields]) =>
      `(up.field IN (${fields}) AND EXISTS (SELECT 1 FROM main.${quote(table)} o WHERE o.id = up.row AND o.status = 'published'))`,
  );
  return `EXISTS (WITH RECURSIVE step(origin, field, kind) AS (VALUES ${steps.map((step) => `(${step})`)}),
    up(field, row) AS (VALUES (0, ${row}) UNION SELECT h.field, h.owner FROM up CROSS JOIN step ON step.origin = up.field
      CROSS JOIN main.galley_links h ON h.field = step.field AND h.target = up.row AND h.kind = step.kind)
    SELECT 1 FROM up WHERE ${isPublished.join(" OR ")})`;
}

/** Whether a read has to leave such links out: reads of one version do not find what they lead to. */
export const mayKeepLinks = (status: ReadContext["status"], schema: Schema, target: Schema): boolean =>
  status === undefined && hasVersions(target) && (hasVersions(schema) || schema.modelType === "component");

/**
 * The condition that leaves them out. `link`: an alias of `galley_links`, whose owners are rows of `owner`. `main.` distinguishes tables from
 * common table expressions with their names.
 */
export function withoutKeptLinks(source: Source, link: string, owner: Schema, target: Schema): string {
  const published = publishedSql(source, owner, `${link}.owner`);
  if (!published) return "1";
  return `NOT EXISTS (SELECT 1 FROM main.${quote(target.table)} d WHERE d.id = ${link}.target AND d.status = 'draft' AND ${published})`;
}
