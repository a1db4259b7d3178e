/** Checks uniqueness: no other published row of the same locale may have the value. */

import { isRecord } from "../../lib/is-record.ts";
import { Compiler } from "../query/compile.ts";
import type { Condition, Field } from "../query/tree.ts";
import {
  type ComponentAttribute,
  component,
  type ScalarAttribute,
  type Schema,
  type ZoneAttribute,
} from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";

export interface UniqueScope {
  readonly root: Schema;
  /** The path of component attributes from the root; empty for attributes of the root. */
  readonly through: readonly (ComponentAttribute | ZoneAttribute)[];
  /** The schema that has the attribute. */
  readonly schema: Schema;
  readonly siblings: readonly unknown[];
  readonly locale: string | null;
  readonly row: number | undefined;
}

/** The values at a path of attribute names below each of the entries. As in Strapi, those in lists within an entry are not compared. */
function valuesAt(entries: readonly unknown[], [name, ...rest]: readonly string[]): unknown[] {
  const values = entries.flatMap((entry) => (isRecord(entry) ? [entry[name!]] : []));
  return rest.length === 0 ? values : valuesAt(values, rest);
}

/** How often each value occurs in the entries of one request, by path. Cached, so that entries are counted once. */
const countsBySiblings = new WeakMap<readonly unknown[], Map<string, ReadonlyMap<unknown, number>>>();

function countsBelow(
  { through, siblings, schema }: UniqueScope,
  attribute: ScalarAttribute,
): ReadonlyMap<unknown, number> {
  const [outer, ...inner] = through;
  const path = [...inner.map(({ name }) => name), attribute.name];
  const key = outer!.kind === "zone" ? `${schema.uid} ${path.join(".")}` : path.join(".");
  return countsBySiblings
    .getOrInsertComputed(siblings, () => new Map())
    .getOrInsertComputed(key, () => {
      const ofKind = (item: unknown) => isRecord(item) && item.__component === schema.uid;
      const entries = outer!.kind === "zone" ? siblings.filter(ofKind) : siblings;
      const counts = new Map<unknown, number>();
      for (const item of valuesAt(entries, path)) {
        const value = item === undefined ? undefined : (attribute.type.cast?.(item) ?? item);
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      return counts;
    });
}

/** Whether another entry of the same request has the value. */
const repeats = (scope: UniqueScope, attribute: ScalarAttribute, value: unknown): boolean =>
  scope.through[0]?.many === true && (countsBelow(scope, attribute).get(value) ?? 0) > 1;

/** The condition that a row at the end of the path meets `of`. */
function conditionAtPath(context: DocumentsContext, through: UniqueScope["through"], of: Condition): Condition {
  return through.reduceRight<Condition>((inner, attribute) => {
    if (attribute.kind !== "component") throw new Error("A zone is looked into with a statement of its own");
    return { kind: "related", attribute, target: component(context.model, attribute.component), of: inner };
  }, of);
}

export function isUnique(
  context: DocumentsContext,
  scope: UniqueScope,
  attribute: ScalarAttribute,
  value: unknown,
): boolean {
  if (repeats(scope, attribute, value)) return false;
  let stored: ReturnType<typeof attribute.type.store>;
  try {
    stored = attribute.type.store(value);
  } catch {
    // a value of the wrong format is refused by the write
    return true;
  }
  const field: Field = { name: attribute.name, column: attribute.column, type: attribute.type };
  const compiler = new Compiler(context, scope.root);
  const { bind } = compiler;
  const [outer, ...inner] = scope.through;
  const conditions = [`t.status = 'published'`];
  if (scope.locale !== null) conditions.push(`t.locale = ${bind(scope.locale)}`);
  if (scope.row !== undefined) conditions.push(`t.id <> ${bind(scope.row)}`);
  const same: Condition = { kind: "compare", field, operator: "$eq", operand: stored };
  if (outer?.kind === "zone") {
    const number = context.storage.number(outer.link.field);
    // values of a zone's own components are compared, those nested deeper are not
    const target = inner.length === 0 ? scope.schema : undefined;
    if (!target) return true;
    const found = `l.field = ${bind(number)} AND l.kind = ${bind(context.storage.number(target.table))}`;
    const row = `SELECT l.owner FROM galley_links l JOIN ${quote(target.table)} c ON c.id = l.target WHERE ${found} AND ${compiler.condition(same, "c")}`;
    conditions.push(`t.id IN (${row})`);
  } else conditions.push(compiler.condition(conditionAtPath(context, scope.through, same), "t"));
  const sql = `SELECT 1 FROM ${quote(scope.root.table)} t WHERE ${conditions.join(" AND ")} LIMIT 1`;
  return context.storage.first(sql, compiler.params) === undefined;
}
