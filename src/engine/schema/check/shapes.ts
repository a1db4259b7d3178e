/** The shapes of schema files, and of their relations, media, components and zones. */
import { type TSchema, Type } from "@sinclair/typebox";
import { Value, type ValueError } from "@sinclair/typebox/value";
import { describeChoices, findInnerError } from "../../../lib/value-error.ts";
import { relationKinds } from "../model.ts";

const Text = Type.String({ minLength: 1 });
const Options = Type.Object({
  draftAndPublish: Type.Optional(Type.Boolean()),
  privateAttributes: Type.Optional(Type.Array(Type.String())),
  populateCreatorFields: Type.Optional(Type.Boolean()),
});
const PluginOptions = Type.Object({ i18n: Type.Optional(Type.Object({ localized: Type.Optional(Type.Boolean()) })) });

/** What a media attribute may allow. */
export const mediaKinds = ["images", "videos", "files", "audios"] as const;

/** The required keys of a file. */
export const ContentTypeFile = Type.Object({
  collectionName: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
  info: Type.Object({ singularName: Text, pluralName: Text, displayName: Text }),
  attributes: Type.Record(Type.String(), Type.Object({ type: Text })),
});
export const ComponentFile = Type.Object({
  collectionName: Text,
  attributes: Type.Record(Type.String(), Type.Object({ type: Text })),
});

/** Keys whose values Strapi does not check. */
export const OptionalParts = Type.Object({
  options: Type.Optional(Options),
  pluginOptions: Type.Optional(PluginOptions),
});
/** The same for content-types: Strapi does not read the kind of a component. */
export const ContentTypeParts = Type.Object({
  ...OptionalParts.properties,
  kind: Type.Optional(Type.Union([Type.Literal("collectionType"), Type.Literal("singleType")])),
});

const Flag = Type.Optional(Type.Boolean());
const Count = Type.Optional(Type.Integer({ minimum: 0 }));

/** The keys that every attribute may have. */
export const commonShape = {
  required: Flag,
  unique: Flag,
  private: Flag,
  configurable: Flag,
  writable: Flag,
  searchable: Flag,
};

export const linkedShapes = {
  media: {
    multiple: Flag,
    allowedTypes: Type.Optional(
      Type.Union([Type.Null(), Type.Array(Type.Union(mediaKinds.map((name) => Type.Literal(name))))]),
    ),
  },
  relation: {
    relation: Type.Union(relationKinds.map((kind) => Type.Literal(kind))),
    target: Type.Optional(Text),
    inversedBy: Type.Optional(Text),
    mappedBy: Type.Optional(Type.Union([Text, Type.Null()])),
    morphBy: Type.Optional(Text),
  },
  component: { component: Text, repeatable: Flag, min: Count, max: Count },
  // Strapi starts with a text, and with other objects, too
  dynamiczone: {
    components: Type.Optional(
      Type.Union([Type.Array(Type.Unknown()), Text, Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
    ),
    min: Count,
    max: Count,
  },
  customField: { customField: Text },
} as const;

export const isLinkedType = (type: string): type is keyof typeof linkedShapes => Object.hasOwn(linkedShapes, type);

export interface ShapeProblem {
  readonly key: string;
  readonly reason: string;
}

/** Formats a TypeBox error. */
function describe(found: ValueError): ShapeProblem {
  const error = findInnerError(found);
  const key = error.path.slice(1).replaceAll("/", ".");
  if (error.value === undefined) return { key, reason: "is missing" };
  return { key, reason: `${describeChoices(error.schema) ?? error.message}, not ${JSON.stringify(error.value)}` };
}

/** All shape errors of a value, one per key, without errors inside invalid values. */
export function shapeProblems(schema: TSchema, value: unknown): ShapeProblem[] {
  const problems: ShapeProblem[] = [];
  // much faster than searching for errors
  if (Value.Check(schema, value)) return problems;
  for (const error of Value.Errors(schema, value)) {
    const problem = describe(error);
    if (!problems.some(({ key }) => key === "" || problem.key === key || problem.key.startsWith(`${key}.`))) {
      problems.push(problem);
    }
  }
  return problems;
}
