/** The object types of content-types and components, without private attributes. */
import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLOutputType,
  GraphQLUnionType,
} from "graphql";
import type { Document } from "../../../engine/query/select.ts";
import {
  type Attribute,
  type ComponentAttribute,
  type ContentType,
  component,
  contentType,
  type MediaAttribute,
  type RelationAttribute,
  type ScalarAttribute,
  type Schema,
  type ZoneAttribute,
} from "../../../engine/schema/model.ts";
import { mapValues } from "../../../lib/records.ts";
import { connectionName, typeName } from "../names.ts";
import type { Operation } from "../operation.ts";
import type { FieldPlan } from "../plan/field-plan.ts";
import { pick, pickConnection, pickSelf } from "../plan/pick.ts";
import { pickFiles } from "../plan/pick-files.ts";
import { forbiddenAccess } from "../plan/planner.ts";
import { list } from "./arguments.ts";
import { relationCollection } from "./collections.ts";
import { enumeration } from "./enumerations.ts";
import { scalars } from "./filter-inputs.ts";
import type { ObjectFields, Types } from "./types.ts";
import { zoneUnion } from "./zones.ts";

const listMembers = ({ model, shadowCrud }: Types): Schema[] =>
  [...model.components.values(), ...model.types.values()].filter(({ uid }) => shadowCrud.has(uid));

/** The union of all types, for polymorphic relations. */
const genericMorph = (types: Types): GraphQLUnionType =>
  types.getOrCreate("GenericMorph", "the union of all types", (name) => {
    // a file is also used by entries of components
    const galleyMember = ({ __type }: Document): string => {
      const uid = String(__type);
      const { model } = types;
      return typeName(model.components.has(uid) ? component(model, uid) : contentType(model, uid));
    };
    return new GraphQLUnionType({
      name,
      types: () => listMembers(types).map((schema) => types.object(schema)),
      resolveType: galleyMember,
      extensions: { galleyMember },
    });
  });

type Field = GraphQLFieldConfig<Document, Operation>;

const required = (attribute: Attribute, type: GraphQLOutputType): GraphQLOutputType =>
  attribute.required && !(type instanceof GraphQLNonNull) ? new GraphQLNonNull(type) : type;

function chooseResolver(plan: FieldPlan): Field["resolve"] {
  if (plan.kind !== "link") return pick;
  if (plan.connection) return pickConnection;
  return plan.attribute.kind === "media" ? pickFiles : pick;
}

const withPlan = (plan: FieldPlan, field: Pick<Field, "type" | "args">): Field => ({
  ...field,
  // columns are stored under the field's name, where the default resolver of graphql-js finds them
  ...(plan.kind === "column" ? {} : { resolve: chooseResolver(plan) }),
  extensions: { galley: plan },
});

function scalarFields(types: Types, schema: Schema, attribute: ScalarAttribute): ObjectFields {
  const { type, name } = attribute;
  const output = type.name === "enumeration" ? enumeration(types, schema, attribute) : scalars[type.graphqlName];
  const plan: FieldPlan = { kind: "column", attribute };
  // a secret is always null, even if the schema requires it
  return { [name]: withPlan(plan, { type: type.isSecret ? output : required(attribute, output) }) };
}

/** A field for one row, or two fields for a list: the rows, and a connection with `nodes`. */
function linkFields(types: Types, attribute: RelationAttribute | MediaAttribute, target: ContentType): ObjectFields {
  const needs = attribute.kind === "media" ? undefined : target;
  const type = types.object(target);
  const plan = { kind: "link", attribute, target, needs } as const;
  if (!attribute.many) {
    return { [attribute.name]: withPlan({ ...plan, connection: false }, { type: required(attribute, type) }) };
  }
  const args = target.kind === "singleType" ? {} : list(types, target);
  return {
    [connectionName(attribute.name)]: withPlan(
      { ...plan, connection: true },
      { type: required(attribute, relationCollection(types, target)), args },
    ),
    [attribute.name]: withPlan(
      { ...plan, connection: false },
      { type: new GraphQLNonNull(new GraphQLList(type)), args },
    ),
  };
}

function relationFields(types: Types, _schema: Schema, attribute: RelationAttribute): ObjectFields {
  if (attribute.virtual === "creator") return {};
  if (attribute.relation.startsWith("morph")) {
    if (attribute.target) return {};
    const type = genericMorph(types);
    const plan: FieldPlan = { kind: "polymorphic", attribute };
    return {
      [attribute.name]: withPlan(plan, { type: required(attribute, attribute.many ? new GraphQLList(type) : type) }),
    };
  }
  const target = attribute.target === undefined ? undefined : types.model.types.get(attribute.target);
  return target ? linkFields(types, attribute, target) : {};
}

const mediaFields = (types: Types, _schema: Schema, attribute: MediaAttribute): ObjectFields =>
  linkFields(types, attribute, contentType(types.model, attribute.target));

function componentFields(types: Types, _schema: Schema, attribute: ComponentAttribute): ObjectFields {
  const target = component(types.model, attribute.component);
  const type = types.object(target);
  const plan: FieldPlan = { kind: "link", attribute, target, needs: undefined, connection: false };
  const field = attribute.many
    ? { type: required(attribute, new GraphQLList(type)), args: list(types, target) }
    : { type: required(attribute, type) };
  return { [attribute.name]: withPlan(plan, field) };
}

function zoneFields(types: Types, schema: Schema, attribute: ZoneAttribute): ObjectFields {
  const type = required(attribute, new GraphQLList(zoneUnion(types, schema, attribute)));
  return { [attribute.name]: withPlan({ kind: "polymorphic", attribute }, { type }) };
}

function attributeFields(types: Types, schema: Schema, attribute: Attribute): ObjectFields {
  switch (attribute.kind) {
    case "scalar":
      return scalarFields(types, schema, attribute);
    case "relation":
      return relationFields(types, schema, attribute);
    case "media":
      return mediaFields(types, schema, attribute);
    case "component":
      return componentFields(types, schema, attribute);
    case "zone":
      return zoneFields(types, schema, attribute);
  }
}

/**
 * Strapi treats a content-type named Subscription as the root of subscriptions, whose fields require authentication.
 * Each field is checked separately, so that each reports an error.
 */
function forSignedIn(fields: ObjectFields): ObjectFields {
  const withCheck = (field: Field): Field => ({
    ...field,
    resolve: async (row, args, operation, info) => {
      if (!operation.isSignedIn) throw forbiddenAccess();
      return (field.resolve ?? defaultFieldResolver)(row, args, operation, info);
    },
  });
  return mapValues(fields, (field) => withCheck(field));
}

const id = { type: new GraphQLNonNull(GraphQLID) };

/** The ids, and with `v4CompatibilityMode` the levels of Strapi 4's answers. Attributes of the same names replace them. */
function leadingFields(types: Types, schema: Schema): ObjectFields {
  const ids: ObjectFields =
    schema.modelType === "component"
      ? { id }
      : {
          ...(types.hasV4Fields ? { id: { ...id, deprecationReason: "Use `documentId` instead" } } : {}),
          documentId: id,
        };
  const shown = Object.entries(ids).filter(([name]) => types.shadowCrud.hasPart(schema.uid, name, "output"));
  if (!types.hasV4Fields) return Object.fromEntries(shown);
  const self: Field = {
    type: new GraphQLNonNull(types.object(schema)),
    deprecationReason: "Use root level fields instead",
    resolve: pickSelf,
    extensions: { galley: { kind: "self" } },
  };
  return { ...Object.fromEntries(shown), attributes: self, data: self };
}

/** The fields of a content-type's or component's object type. */
export function objectFields(types: Types, schema: Schema): ObjectFields {
  const fields = leadingFields(types, schema);
  for (const attribute of types.attributes(schema, "output")) {
    if (!attribute.private) Object.assign(fields, attributeFields(types, schema, attribute));
  }
  if (schema.modelType !== "component" && typeName(schema) === "Subscription") return forSignedIn(fields);
  return fields;
}
