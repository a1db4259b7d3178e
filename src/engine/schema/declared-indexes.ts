/** `indexes` of a schema file: indexes of the database, on columns by Strapi's names. */
import type { ProjectReport } from "../../lib/errors.ts";
import type { Attribute, ContentType } from "./model.ts";
import { snakeCase } from "./names.ts";

export interface DeclaredIndex {
  readonly name: string;
  /** Of Galley's table. */
  readonly columns: readonly string[];
  readonly unique: boolean;
}

interface Declaration {
  readonly name: string;
  readonly columns: readonly string[];
  readonly type?: unknown;
}

const SYSTEM = ["id", "document_id", "locale", "created_at", "updated_at", "published_at"];
const REFERENCES = ["created_by_id", "updated_by_id"];
const RESERVED = /^(?:galley_|sqlite_)/i;

const isDeclaration = (value: unknown): value is Declaration => {
  const { name, columns } = (value ?? {}) as Partial<Declaration>;
  const isList = Array.isArray(columns) && columns.length > 0 && columns.every((column) => typeof column === "string");
  return typeof name === "string" && name !== "" && isList;
};

const declarations = (definition: object): readonly unknown[] | undefined => {
  const { indexes } = definition as { readonly indexes?: unknown };
  return Array.isArray(indexes) && indexes.length > 0 ? indexes : undefined;
};

/** Undefined without any. Those that `checkIndexes` warns about are left out. */
export function declaredIndexes({ definition, attributes }: ContentType): readonly DeclaredIndex[] | undefined {
  const list = declarations(definition)?.filter(isDeclaration);
  if (!list) return undefined;
  const own = [...attributes.values()].flatMap((attribute: Attribute) =>
    attribute.kind === "scalar" && !attribute.system ? [[snakeCase(attribute.name), attribute.column] as const] : [],
  );
  const columns = new Map([...own, ...[...SYSTEM, ...REFERENCES].map((name) => [name, name] as const)]);
  return list.flatMap(({ name, columns: names, type }) => {
    const found = names.flatMap((column) => columns.get(column) ?? []);
    if (found.length < names.length || RESERVED.test(name)) return [];
    return [{ name, columns: found, unique: type === "unique" || type === "primary" }];
  });
}

/** The columns that an attribute may have in Strapi, but not here: those of relations without a table of links. */
const isOfRelation = (column: string, relations: readonly string[]): boolean =>
  relations.some((name) => column.startsWith(`${snakeCase(name)}_`));

/** Refuses indexes that Strapi cannot create, and warns of those that are left out. `attributes`: names and types. */
export function checkIndexes(
  file: string,
  definition: object & { readonly attributes: Readonly<Record<string, { readonly type?: unknown }>> },
  report: Pick<ProjectReport, "warn" | "refuse">,
): void {
  const { indexes } = definition as { readonly indexes?: unknown };
  if (indexes && !Array.isArray(indexes)) report.refuse(file, "indexes", "must be a list");
  const list = declarations(definition);
  if (!list) return;
  const linked = new Set(["relation", "media", "component", "dynamiczone"]);
  const attributes = Object.entries(definition.attributes);
  const names = attributes.flatMap(([name, { type }]) => (linked.has(String(type)) ? [] : [snakeCase(name)]));
  const relations = attributes.flatMap(([name, { type }]) => (type === "relation" ? [name] : []));
  const columns = new Set([...names, ...SYSTEM, ...REFERENCES]);
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = `indexes[${index}]`;
    if (!isDeclaration(item)) {
      report.refuse(file, key, 'must be { "name": "…", "columns": ["…"] }');
      continue;
    }
    if (RESERVED.test(item.name)) report.warn(file, `${key}.name`, `"${item.name}" begins with a reserved prefix`);
    if (seen.has(item.name)) report.refuse(file, `${key}.name`, `"${item.name}" must be unique`);
    seen.add(item.name);
    const missing = item.columns.find((column) => !columns.has(column));
    if (missing === undefined) continue;
    const reason = `there is no column "${missing}"`;
    if (isOfRelation(missing, relations)) report.warn(file, `${key}.columns`, `${reason}; it is left out`);
    else report.refuse(file, `${key}.columns`, reason);
  }
}
