/** Tools for content-types and components: shown, planned and changed through the content-type builder. */
import { z } from "zod";
import { applyEdit } from "../../../admin/builder/apply.ts";
import { BuilderRefusal } from "../../../admin/builder/builder-error.ts";
import { previewEdit } from "../../../admin/builder/preview.ts";
import { editOfUpdate } from "../../../admin/builder/schema.ts";
import { OTHER_KIND, type SchemaEdit } from "../../../admin/builder/schema-edit.ts";
import type { JsonObject } from "../../../admin/call.ts";
import type { AdminServices } from "../../../admin/services.ts";
import type { RawComponent, RawContentType } from "../../../engine/schema/definition.ts";
import { ApiError, validationError } from "../../../lib/errors.ts";
import { fitting, shortened } from "./answers.ts";
import { always, type DevelopmentTool, tool } from "./tool.ts";

const MAX_PARTS = 50;
const name = z.string().min(1).max(100);
const uid = z.string().min(1).max(200);
const attributes = z
  .record(name, z.union([z.record(z.string(), z.unknown()), z.null()]))
  .describe('As in schema files, such as { "type": "string", "required": true }; null removes an attribute');
const renames = z.record(name, name).optional().describe('Such as { "old": "new" }: values are kept');

const typeChange = z.strictObject({
  uid: uid
    .regex(/^[^:]+::[^.:]+\.[^.:]+$/, "must be such as api::article.article")
    .describe("api::article.article; a new one is created"),
  kind: z.enum(["collectionType", "singleType"]).optional(),
  displayName: name.optional(),
  pluralName: name.optional().describe("Of a new type; its singular is in the uid"),
  draftAndPublish: z.boolean().optional(),
  localized: z
    .boolean()
    .optional()
    .describe("Attributes differ by locale then, unless their pluginOptions.i18n.localized is false"),
  attributes: attributes.optional(),
  renames,
});
const componentChange = z.strictObject({
  uid: uid.describe("category.name"),
  displayName: name.optional(),
  attributes: attributes.optional(),
  renames,
});

const changes = {
  types: z.array(typeChange).max(MAX_PARTS).optional(),
  components: z.array(componentChange).max(MAX_PARTS).optional(),
  remove: z.array(uid).max(MAX_PARTS).optional().describe("Types and components; their content is kept, hidden"),
};
const planInput = z.strictObject(changes);
const applyInput = z.strictObject({ ...changes, version: z.string().describe("Of the plan") });

type Plan = z.infer<typeof planInput>;
type Change = Pick<z.infer<typeof typeChange>, "attributes" | "renames"> & { readonly localized?: boolean | undefined };

/** What a definition of a type or an attribute may have. */
interface Options {
  readonly type?: string;
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } };
}

const isLocalized = ({ pluginOptions }: Options): boolean | undefined => pluginOptions?.i18n?.localized;

/**
 * As in Strapi's content-type builder, attributes of a localized type differ by locale, except uids, which always do, and relations.
 * `earlier`: the definition in a type that was localized before.
 */
function withLocalized(properties: JsonObject, earlier: Options | undefined): JsonObject {
  const { type, pluginOptions } = properties as Options;
  if (type === "relation" || type === "uid" || isLocalized(properties) !== undefined) return properties;
  if (earlier && !isLocalized(earlier)) return properties;
  return { ...properties, pluginOptions: { ...pluginOptions, i18n: { ...pluginOptions?.i18n, localized: true } } };
}

/** All attributes as the builder takes them: those of the file, renamed, changed, and without removed ones. */
function mergedAttributes(before: RawContentType | RawComponent | undefined, change: Change): JsonObject[] {
  const { attributes: changed = {}, renames = {} } = change;
  const names = new Map(Object.entries(renames));
  const renamed = Object.entries(before?.definition.attributes ?? {}).map(([key, value]) => [
    names.get(key) ?? key,
    value,
  ]);
  const known = new Map(renamed as [string, unknown][]);
  const merged = new Map([...known, ...Object.entries(changed)]);
  const options = (before?.definition ?? {}) as Options;
  const localizes = change.localized ?? isLocalized(options) ?? false;
  return [...merged].flatMap(([key, value]) => {
    if (value === null) return [];
    const earlier = isLocalized(options) ? (known.get(key) as Options | undefined) : undefined;
    const properties = localizes ? withLocalized(value as JsonObject, earlier) : value;
    return [{ action: known.has(key) ? "update" : "create", name: key, properties }];
  });
}

type TypeChange = z.infer<typeof typeChange>;

/** The other sides of relations between types of the plan: the builder adds those of types that exist. */
function withOtherSides(types: readonly TypeChange[]): TypeChange[] {
  const result = new Map(types.map((change) => [change.uid, change]));
  for (const { uid: owner, attributes: own = {} } of types) {
    for (const [key, attribute] of Object.entries(own)) {
      const { target, relation, targetAttribute, inversedBy, mappedBy } = attribute ?? {};
      const other = targetAttribute ?? inversedBy ?? mappedBy;
      const change = result.get(String(target));
      const kind = OTHER_KIND[String(relation)];
      if (!change || typeof other !== "string" || kind === undefined || Object.hasOwn(change.attributes ?? {}, other))
        continue;
      const side = mappedBy !== undefined || relation === "oneToMany" ? "inversedBy" : "mappedBy";
      const added = { type: "relation", relation: kind, target: owner, [side]: key };
      result.set(change.uid, { ...change, attributes: { ...change.attributes, [other]: added } });
    }
  }
  return [...result.values()];
}

const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1).replaceAll("-", " ");

function typeEntry(services: AdminServices, change: TypeChange): JsonObject {
  const before = services.schema.types.find((type) => type.uid === change.uid);
  const singularName = change.uid.split(".").at(-1) ?? "";
  const { info, options = {}, pluginOptions = {}, kind } = before?.definition ?? { info: undefined };
  const i18n = change.localized === undefined ? {} : { i18n: { localized: change.localized } };
  return {
    action: before ? "update" : "create",
    uid: change.uid,
    kind: change.kind ?? kind ?? "collectionType",
    singularName: info?.singularName ?? singularName,
    pluralName: info?.pluralName ?? change.pluralName ?? `${singularName}s`,
    displayName: change.displayName ?? info?.displayName ?? titled(singularName),
    draftAndPublish: change.draftAndPublish ?? (options as { draftAndPublish?: boolean }).draftAndPublish ?? false,
    options,
    pluginOptions: { ...pluginOptions, ...i18n },
    attributes: mergedAttributes(before, change),
  };
}

function componentEntry(services: AdminServices, change: z.infer<typeof componentChange>): JsonObject {
  const before = services.schema.components.find((component) => component.uid === change.uid);
  const [category = "", componentName = ""] = change.uid.split(".");
  return {
    action: before ? "update" : "create",
    uid: change.uid,
    category,
    displayName: change.displayName ?? before?.definition.info?.displayName ?? titled(componentName),
    attributes: mergedAttributes(before, change),
  };
}

/** Throws an ApiError, or a BuilderError, for a schema that is refused. */
function createEdit(services: AdminServices, { types = [], components = [], remove = [] }: Plan): SchemaEdit {
  const removed = remove.map((part) => ({ action: "delete", uid: part }));
  const body = {
    data: {
      contentTypes: [...withOtherSides(types).map((change) => typeEntry(services, change)), ...removed.filter(isType)],
      components: [
        ...components.map((change) => componentEntry(services, change)),
        ...removed.filter((part) => !isType(part)),
      ],
    },
  };
  if (body.data.contentTypes.length + body.data.components.length === 0)
    throw validationError("Name types, components or what to remove");
  const renamed = [...types, ...components].map((change) => [change.uid, change.renames ?? {}] as const);
  return editOfUpdate(services, body, renamed);
}

const isType = ({ uid: part }: { readonly uid: string }): boolean => part.includes("::");

/** Runs builder code, whose refusals are responses. */
async function built<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BuilderRefusal ? new ApiError("ValidationError", error.message) : error;
  }
}

/** The changed lines of a file. */
function diffLines(before: string | null, after: string | null): string {
  const [old, now] = [before?.split("\n") ?? [], after?.split("\n") ?? []];
  const removed = old.filter((line) => !now.includes(line)).map((line) => `-${line}`);
  const added = now.filter((line) => !old.includes(line)).map((line) => `+${line}`);
  return [...removed, ...added].join("\n");
}

export const modelTools: readonly DevelopmentTool[] = [
  tool({
    name: "model_show",
    title: "Show content-types",
    description: "Shows the content-types and components of the project; with uids also their attributes.",
    input: z.strictObject({
      uids: z.array(uid).max(MAX_PARTS).optional(),
      from: z.number().int().min(0).optional().describe("The next of a part"),
    }),
    run: ({ services: { schema } }, { uids, from }) => {
      const part = (items: readonly object[]) => {
        const { shown, next } = fitting(items, from);
        return { parts: shown, ...(next === undefined ? {} : { next, total: items.length }) };
      };
      const parts = [...schema.types.filter((type) => type.uid.startsWith("api::")), ...schema.components];
      const all = [...schema.types, ...schema.components];
      if (!uids)
        return part(
          parts.map(({ uid: name, definition }) => ({ uid: name, attributes: Object.keys(definition.attributes) })),
        );
      const unknown = uids.filter((name) => !all.some((other) => other.uid === name));
      if (unknown.length > 0)
        throw validationError(`There is no ${unknown.join(", ")}: model_show without uids lists what there is`);
      const named = all.filter((item) => uids.includes(item.uid));
      return part(named.map(({ uid: name, definition }) => ({ uid: name, ...definition })));
    },
  }),
  tool({
    name: "model_plan",
    title: "Plan a change of content-types",
    description:
      "Shows what a change of types and components would write, and which values it would convert or hide. Writes nothing. model_apply with the version makes the change.",
    input: planInput,
    run: ({ services }, plan) =>
      built(async () => {
        const { version, files, effects } = await previewEdit(services, { uid: "", edit: createEdit(services, plan) });
        const shown = files.map(({ path, before, after }) => ({ path, diff: diffLines(before, after) }));
        const { files: diffs, effects: parts } = shortened(
          { files: shown, effects },
          "a plan of fewer types",
        ) as JsonObject;
        return { version, files: diffs, effects: parts };
      }),
  }),
  tool({
    name: "model_apply",
    title: "Change content-types",
    description: "Makes a planned change: the arguments of model_plan, and its version. The files are served at once.",
    input: applyInput,
    changes: always,
    changesTools: true,
    run: ({ services }, { version, ...plan }) =>
      built(async () => {
        await applyEdit(services, createEdit(services, plan), version);
        return { applied: true };
      }),
  }),
];
