/** Adds the types and resolvers of a project to the generated schema. */
import { addResolversToSchema, mergeSchemas } from "@graphql-tools/schema";
import { type GraphQLSchema, printSchema } from "graphql";
import type { GraphqlExtensions, NexusTypes, OwnResolvers } from "./extensions.ts";

interface Added {
  readonly typeDefs: readonly string[];
  readonly resolvers: readonly OwnResolvers[];
}

interface ForeignField {
  readonly resolve?: unknown;
  /** Nexus gives every field a resolver, and says here whether the field was defined with one. */
  readonly extensions?: { readonly nexus?: { readonly hasDefinedResolver?: boolean } };
}

/** The parts of a schema of any copy of graphql-js that are looked at. */
interface ForeignSchema {
  getTypeMap(): Record<string, { getFields?(): Record<string, ForeignField> }>;
}

/** Nexus' types, once it has joined them to the generated ones: they may refer to those by their names. */
function fromNexus({ nexus, graphql, types, plugins = [] }: NexusTypes, generated: GraphQLSchema): Added {
  const config = {
    types,
    plugins,
    mergeSchema: { schema: graphql.buildSchema(printSchema(generated)) },
    shouldGenerateArtifacts: false,
    outputs: false,
  };
  const merged = nexus.makeSchema(config);
  const resolvers: Record<string, Record<string, unknown>> = {};
  for (const [name, type] of Object.entries((merged as ForeignSchema).getTypeMap())) {
    if (name.startsWith("__")) continue;
    for (const [field, { resolve, extensions }] of Object.entries(type.getFields?.() ?? {})) {
      if (typeof resolve !== "function" || !extensions?.nexus?.hasDefinedResolver) continue;
      resolvers[name] ??= {};
      resolvers[name][field] = resolve;
    }
  }
  return { typeDefs: [graphql.printSchema(merged)], resolvers: [resolvers] };
}

/** Throws what graphql-js and the schema tools throw for definitions that do not fit together. */
export function mergeExtensions(generated: GraphQLSchema, extensions: GraphqlExtensions): GraphQLSchema {
  const { nexus, typeDefs = [], resolvers } = extensions;
  const added: Added[] = nexus ? [fromNexus(nexus, generated)] : [];
  added.push({ typeDefs, resolvers: resolvers ? [resolvers] : [] });
  const definitions = added.flatMap((part) => part.typeDefs);
  const merged = definitions.length === 0 ? generated : mergeSchemas({ schemas: [generated], typeDefs: definitions });
  return added
    .flatMap((part) => part.resolvers)
    .reduce<GraphQLSchema>(
      (schema, own) =>
        addResolversToSchema({ schema, resolvers: own as Parameters<typeof addResolversToSchema>[0]["resolvers"] }),
      merged,
    );
}
