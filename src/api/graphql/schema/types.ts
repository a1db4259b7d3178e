/** The named types of one GraphQL schema. */
import { type GraphQLFieldConfigMap, type GraphQLNamedType, GraphQLObjectType } from "graphql";
import type { Document } from "../../../engine/query/select.ts";
import { isFieldName } from "../../../engine/schema/enum-names.ts";
import type { Attribute, Model, Schema } from "../../../engine/schema/model.ts";
import type { AttributePart, ShadowCrud } from "../extensions/extensions.ts";
import { typeName } from "../names.ts";
import type { Operation } from "../operation.ts";

export type ObjectFields = GraphQLFieldConfigMap<Document, Operation>;

/** GraphQL has no enumerations without values. */
const isWithoutValues = ({ definition }: Attribute): boolean =>
  definition.type === "enumeration" && (definition.enum as readonly string[]).length === 0;

export class Types {
  readonly model: Model;
  readonly shadowCrud: ShadowCrud;
  /** With the fields of Strapi 4's answers. */
  readonly hasV4Fields: boolean;
  readonly #createFields: (types: Types, schema: Schema) => ObjectFields;
  readonly #created = new Map<string, { readonly description: string; readonly type: GraphQLNamedType }>();

  /** `createFields`: creates the fields of an object type. A parameter, since fields refer to object types again. */
  constructor(
    { model, shadowCrud, hasV4Fields }: Pick<Types, "model" | "shadowCrud" | "hasV4Fields">,
    createFields: (types: Types, schema: Schema) => ObjectFields,
  ) {
    this.model = model;
    this.shadowCrud = shadowCrud;
    this.hasV4Fields = hasV4Fields;
    this.#createFields = createFields;
  }

  /** The object type of a content-type or component. */
  object(schema: Schema): GraphQLObjectType {
    return this.getOrCreate(typeName(schema), schema.uid, (name) => {
      return new GraphQLObjectType({ name, fields: () => this.#createFields(this, schema) });
    });
  }

  /** The attributes with a part in the schema, except those that the project has disabled and relations to excluded types. */
  attributes(schema: Schema, part: AttributePart): Attribute[] {
    return [...schema.attributes.values()].filter((attribute) => {
      if (!isFieldName(attribute.name) || isWithoutValues(attribute)) return false;
      if (!this.shadowCrud.hasPart(schema.uid, attribute.name, part)) return false;
      if (attribute.kind === "component") return this.shadowCrud.has(attribute.component);
      return !("target" in attribute) || attribute.target === undefined || this.shadowCrud.has(attribute.target);
    });
  }

  /**
   * Creates each type once. Its fields are created on first use, so that types can refer to each other, and types that
   * nothing refers to are never created. Throws if a name is used for two things, which are told apart by `description`.
   */
  getOrCreate<T extends GraphQLNamedType>(name: string, description: string, create: (name: string) => T): T {
    const existing = this.#created.get(name);
    if (!existing) {
      const type = create(name);
      this.#created.set(name, { description, type });
      return type;
    }
    if (existing.description !== description)
      throw new Error(`The GraphQL type ${name} would stand for both ${existing.description} and ${description}`);
    return existing.type as T;
  }
}
