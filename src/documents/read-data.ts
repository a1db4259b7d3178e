/** A stored row in the form in which a client would write it: to be validated as a whole, compared, or copied to another row. */
import {
  type Attribute,
  contentType,
  type MediaAttribute,
  type RelationAttribute,
  type Schema,
} from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { DocumentsContext } from "./context.ts";
import { type Edge, ownEdges } from "./edges.ts";
import { type Data, listedPartsOf } from "./rows.ts";

export interface DataScope {
  /** The row's own attributes to read; everything inside a component is read. */
  readonly includes: (attribute: Attribute) => boolean;
  /** Links as they are, by row id; otherwise by document id. */
  readonly rowLinks?: boolean;
  /** Components with their ids; otherwise without. */
  readonly partIds?: boolean;
}

/** Everything but passwords, whose text is not known. */
export function readData(context: DocumentsContext, schema: Schema, id: number, scope: DataScope): Data {
  const { includes, rowLinks = false, partIds = false } = scope;
  const data: Data = readScalars(context, schema, id, includes);
  const own = ownEdges(context, schema, id);
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind === "scalar" || !includes(attribute)) continue;
    if (attribute.kind === "component" || attribute.kind === "zone") {
      const parts = listedPartsOf(context, attribute, own).map((part) => ({
        ...(partIds ? { id: part.id } : {}),
        ...(attribute.kind === "zone" ? { __component: part.schema.uid } : {}),
        ...readData(context, part.schema, part.id, { ...scope, includes: () => true }),
      }));
      data[attribute.name] = attribute.many ? parts : (parts[0] ?? null);
    } else if (attribute.link.field !== "" && attribute.link.side === "owner") {
      const edges = own.of(attribute.link.field);
      data[attribute.name] = {
        set: rowLinks ? edges.map(({ target }) => ({ id: target })) : readTargets(context, attribute, edges),
      };
    }
  }
  return data;
}

function readScalars({ storage }: DocumentsContext, schema: Schema, id: number, includes: DataScope["includes"]): Data {
  const attributes = [...schema.attributes.values()].filter(
    (attribute) => attribute.kind === "scalar" && !attribute.system && !attribute.type.secret && includes(attribute),
  ) as Extract<Attribute, { kind: "scalar" }>[];
  if (attributes.length === 0) return {};
  const columns = attributes.map(({ column, type }) => type.column.read?.(quote(column)) ?? quote(column)).join(", ");
  const row = storage.first(`SELECT ${columns} FROM ${quote(schema.table)} WHERE id = ?`, [id])!;
  return Object.fromEntries(
    attributes.map(({ name, type }, index) => [name, type.load ? type.load(row[index]!) : row[index]]),
  );
}

function readTargets(
  { storage, model }: DocumentsContext,
  attribute: RelationAttribute | MediaAttribute,
  edges: readonly Edge[],
): Data[] {
  return edges.flatMap(({ target, kind }) => {
    const table = attribute.target ? contentType(model, attribute.target).table : storage.nameOf(kind);
    const type = [...model.types.values()].find((item) => item.table === table);
    if (!type) return [];
    const [documentId, locale] =
      storage.first(`SELECT document_id, locale FROM ${quote(type.table)} WHERE id = ?`, [target]) ?? [];
    if (!documentId) return [];
    return [{ documentId, ...(locale ? { locale } : {}), ...(attribute.target ? {} : { __type: type.uid }) }];
  });
}
