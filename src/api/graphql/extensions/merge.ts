/** Adds the types and resolvers of a project to the generated schema. */
import { addResolversToSchema, mergeSchemas } from "@graphql-tools/schema";
import { filterSchema, pruneSchema } from "@graphql-tools/utils";
import { type GraphQLSchema, isObjectType, printSchema, specifiedScalarTypes } from "graphql";
import { isPresent } from "../../../engine/query/list-params.ts";
import { pickBy } from "../../../lib/records.ts";
import type { GraphqlExtensions, NexusTypes, ProjectResolvers } from "./extensions.ts";

interface Addition {
  readonly typeDefs: readonly string[];
  readonly resolvers: readonly ProjectResolvers[];
  /** `Type.field` of generated fields whose type or arguments change: they are replaced instead of merged. */
  readonly replaced: ReadonlySet<string>;
}

interface ForeignField {
  readonly type: unknown;
  readonly args: readonly { readonly name: string; readonly type: unknown }[];
  readonly resolve?: unknown;
  /** Nexus gives every field a resolver, and stores here whether the field was defined with one. */
  readonly extensions?: { readonly nexus?: { readonly hasDefinedResolver?: boolean } };
}

interface ForeignType {
  getFields?(): Record<string, ForeignField>;
  /** Of enums. */
  getValues?(): readonly { readonly name: string; readonly value: unknown }[];
  readonly resolveType?: unknown;
  readonly isTypeOf?: unknown;
  readonly serialize?: unknown;
  readonly parseValue?: unknown;
  readonly parseLiteral?: unknown;
}

/** The part of a schema of another copy of graphql-js that is read. */
interface ForeignSchema {
  getTypeMap(): Record<string, ForeignType>;
}

/** What a type has besides fields: the values of an enum, the conversions of a scalar, how the type of a value is found. */
function typeResolvers(type: ForeignType): Record<string, unknown> {
  if (type.getValues) return Object.fromEntries(type.getValues().map(({ name, value }) => [name, value]));
  const { resolveType: __resolveType, isTypeOf: __isTypeOf, serialize, parseValue, parseLiteral } = type;
  return pickBy({ __resolveType, __isTypeOf, serialize, parseValue, parseLiteral }, isPresent);
}

/** Merges Nexus types, which may refer to generated types by name. */
function fromNexus({ nexus, graphql, types, plugins = [] }: NexusTypes, generated: GraphQLSchema): Addition {
  const config = {
    types,
    plugins,
    mergeSchema: { schema: graphql.buildSchema(printSchema(generated)) },
    shouldGenerateArtifacts: false,
    outputs: false,
  };
  const merged = nexus.makeSchema(config);
  const resolvers: Record<string, Record<string, unknown>> = {};
  const replaced = new Set<string>();
  for (const [name, type] of Object.entries((merged as ForeignSchema).getTypeMap())) {
    if (name.startsWith("__")) continue;
    const existing = generated.getType(name);
    if (!existing && !specifiedScalarTypes.some((scalar) => scalar.name === name)) {
      const own = typeResolvers(type);
      if (Object.keys(own).length > 0) resolvers[name] = own;
    }
    const existingFields = isObjectType(existing) ? existing.getFields() : {};
    for (const [field, definition] of Object.entries(type.getFields?.() ?? {})) {
      const { resolve, extensions } = definition;
      if (existingFields[field] && formatSignature(existingFields[field]) !== formatSignature(definition))
        replaced.add(`${name}.${field}`);
      // plugins wrap resolvers, also the default one
      const isWrapped = !existingFields[field] && resolve !== graphql.defaultFieldResolver;
      if (typeof resolve !== "function" || !(extensions?.nexus?.hasDefinedResolver || isWrapped)) continue;
      resolvers[name] ??= {};
      resolvers[name][field] = resolve;
    }
  }
  return { typeDefs: [graphql.printSchema(merged)], resolvers: [resolvers], replaced };
}

const formatSignature = ({ type, args = [] }: Pick<ForeignField, "type" | "args">): string =>
  [String(type), ...args.map((argument) => `${argument.name}: ${argument.type}`).sort()].join(", ");

function withoutFields(schema: GraphQLSchema, fields: ReadonlySet<string>): GraphQLSchema {
  if (fields.size === 0) return schema;
  const isKept = (type: string, field: string | undefined): boolean => !fields.has(`${type}.${field}`);
  return filterSchema({ schema, rootFieldFilter: isKept, objectFieldFilter: isKept });
}

/** Throws the errors of graphql-js and the schema tools for conflicting definitions. */
export function mergeExtensions(generated: GraphQLSchema, extensions: GraphqlExtensions): GraphQLSchema {
  const { nexus, typeDefs = [], resolvers } = extensions;
  const additions: Addition[] = nexus ? [fromNexus(nexus, generated)] : [];
  additions.push({ typeDefs, resolvers: resolvers ? [resolvers] : [], replaced: new Set() });
  const definitions = additions.flatMap((part) => part.typeDefs);
  const remaining = withoutFields(generated, new Set(additions.flatMap((part) => [...part.replaced])));
  const merged = definitions.length === 0 ? generated : mergeSchemas({ schemas: [remaining], typeDefs: definitions });
  const complete = additions
    .flatMap((part) => part.resolvers)
    .reduce<GraphQLSchema>(
      (schema, resolvers) =>
        addResolversToSchema({
          schema,
          resolvers: resolvers as Parameters<typeof addResolversToSchema>[0]["resolvers"],
        }),
      merged,
    );
  // as in Strapi, types that no field has are left out
  return definitions.length === 0 ? complete : pruneSchema(complete);
}
