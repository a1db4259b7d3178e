/**
 * Schemas that `register` changes, such as `strapi.contentType("api::note.note").attributes.size = …`. They are needed before the
 * project is opened, so that such a function is called twice: first here, where only schemas are real. As in Strapi, changes
 * of the objects count, and components that are added to their registry.
 */

import type {
  ComponentDefinition,
  ContentTypeDefinition,
  RawComponent,
  RawContentType,
} from "../../engine/schema/definition.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { withTimeout } from "../../lib/with-timeout.ts";
import { findFile, isMentionedBeside } from "./files-beside.ts";
import { inert, MAX_WAIT_MS, withInertMembers } from "./inert.ts";
import type { CodeBundle } from "./load.ts";
import { findHook } from "./plugin.ts";

export interface DeclaredSchemas {
  readonly types: readonly RawContentType[];
  readonly components: readonly RawComponent[];
}

const MENTIONS_SCHEMAS = /\bcontentTypes?\b|\bcontent-types\b|\bgetModel\b|\bcomponents\b/;

/** A call that passes `strapi` on, with a name that bundlers may have given it. */
const PASSES_STRAPI = /\w\(\s*(?:\{\s*strapi(?:\s*:\s*strapi\d*)?\s*\}|strapi\d*)\s*[,)]/;
const CHANGES_ATTRIBUTES = /\bcontentTypes?\b[\s\S]*\battributes/;

type Register = (options: { readonly strapi: object }) => unknown;
type Draft = Record<string, unknown> & { readonly uid: string; readonly attributes: Record<string, unknown> };

/** The `register` functions that may change schemas, and their files, in the order in which they are called at the start. */
function changing(bundle: CodeBundle): (readonly [file: string, register: Register])[] {
  const { apiIndexes, plugins, index } = bundle.code;
  const modules = [
    ...[...apiIndexes].map(([api, module]) => [findFile(bundle, "api-index", api), module] as const),
    ...[...plugins].map(([plugin, module]) => [findFile(bundle, "plugin", plugin), module] as const),
    [findFile(bundle, "index"), index] as const,
  ];
  return modules.flatMap(([file, module]) => {
    const register = findHook(module, "register");
    const text = String(register);
    const isDelegating = PASSES_STRAPI.test(text) && isMentionedBeside(bundle, file, CHANGES_ATTRIBUTES);
    return register && (MENTIONS_SCHEMAS.test(text) || isDelegating) ? [[file ?? "", register] as const] : [];
  });
}

/** What code reads of system attributes. */
const SYSTEM = {
  createdAt: { type: "datetime" },
  updatedAt: { type: "datetime" },
  publishedAt: { type: "datetime" },
  createdBy: { type: "relation", relation: "oneToOne", target: "admin::user" },
  updatedBy: { type: "relation", relation: "oneToOne", target: "admin::user" },
  locale: { type: "string" },
};

const createDraft = ({ uid, definition }: RawContentType | RawComponent, modelType: string): Draft => ({
  uid,
  modelType,
  options: {},
  pluginOptions: {},
  ...structuredClone(definition),
  attributes: {
    ...structuredClone(definition.attributes),
    ...(modelType === "component" ? {} : structuredClone(SYSTEM)),
  },
});

/** What files of components have. */
const DEFINED: readonly string[] = ["collectionName", "info", "options", "pluginOptions", "attributes"];

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** The definition that a draft has become; undefined if it has not changed. */
function changedDefinition(definition: object, draft: Draft): object | undefined {
  const attributes = pickBy(
    draft.attributes,
    (attribute, name) => !(name in SYSTEM && Bun.deepEquals(attribute, SYSTEM[name as keyof typeof SYSTEM])),
  );
  const options = ["info", "options", "pluginOptions", "kind"].flatMap((name) => {
    const value = draft[name];
    return value === undefined || (isEmpty(value) && !(name in definition)) ? [] : [[name, value] as const];
  });
  const changed = { ...definition, ...Object.fromEntries(options), attributes };
  return Bun.deepEquals(changed, definition) ? undefined : changed;
}

type Drafts = Readonly<Record<string, Draft>>;

function createPlugin(name: string, types: Drafts): object {
  const prefix = `plugin::${name}.`;
  const own = Object.fromEntries(
    Object.entries(types).flatMap(([uid, draft]) =>
      uid.startsWith(prefix) ? [[uid.slice(prefix.length), draft]] : [],
    ),
  );
  return withInertMembers({ contentTypes: own, contentType: (type: string) => own[type] });
}

const registryMembers = (drafts: Drafts) => ({
  keys: () => Object.keys(drafts),
  get: (uid: string) => drafts[uid],
  getAll: () => ({ ...drafts }),
  has: (uid: string) => uid in drafts,
  extend: (uid: string, change: (draft: Draft | undefined) => unknown) => void change(drafts[uid]),
});

const createRegistry = (drafts: Drafts): object => withInertMembers(registryMembers(drafts));

/** `add` is called with each component that is new. */
function createComponentRegistry(drafts: Record<string, Draft>, add: (draft: Draft) => void): object {
  const members = {
    ...registryMembers(drafts),
    set(uid: string, schema: object) {
      if (uid in drafts) throw new Error(`Component ${uid} has already been registered.`);
      drafts[uid] = { attributes: {}, ...schema, uid };
      add(drafts[uid]);
      return members;
    },
    add: (schemas: Record<string, object>) => {
      for (const [uid, schema] of Object.entries(schemas)) members.set(uid, schema);
    },
  };
  return withInertMembers(members);
}

/** The schema of a component that was added. */
const addedComponent = (file: string, draft: Draft): RawComponent => ({
  uid: draft.uid,
  file,
  category: String(draft.category ?? ""),
  definition: pickBy(draft, (_, name) => DEFINED.includes(name)) as unknown as ComponentDefinition,
});

function createRehearsalStrapi(
  types: Drafts,
  components: Record<string, Draft>,
  { config, dirs }: Record<string, unknown>,
  add: (draft: Draft) => void,
): object {
  const models = { ...types, ...components };
  const registries: Readonly<Record<string, object>> = {
    "content-types": createRegistry(types),
    components: createComponentRegistry(components, add),
    models: createRegistry(models),
  };
  return withInertMembers({
    config,
    dirs,
    // copies: as in Strapi, a replaced object has no effect
    contentTypes: { ...types },
    components: { ...components },
    contentType: (uid: string) => types[uid],
    getModel: (uid: string) => models[uid],
    get: (name: string) => registries[name] ?? inert,
    plugin: (name: string) => createPlugin(name, types),
  });
}

/** Changes before an error are kept, as at the start, which reports the error. */
async function rehearse(register: Register, strapi: object, { loading }: CodeBundle): Promise<void> {
  try {
    const ended = loading.withReplaced(inert, () => register({ strapi }));
    if (!(ended instanceof Promise)) return;
    await withTimeout<unknown>(ended, MAX_WAIT_MS, () => {});
  } catch {
    // reported at the start
  }
}

/** The changed types and components. `declared` is called only if a `register` may change any. */
export async function registeredSchemas(
  bundle: CodeBundle,
  declared: () => DeclaredSchemas,
): Promise<DeclaredSchemas | undefined> {
  const registers = changing(bundle);
  if (registers.length === 0) return undefined;
  const { types, components } = declared();
  const createDrafts = (raws: readonly (RawContentType | RawComponent)[], modelType: string): Record<string, Draft> =>
    Object.fromEntries(raws.map((raw) => [raw.uid, createDraft(raw, modelType)]));
  const drafts = { types: createDrafts(types, "contentType"), components: createDrafts(components, "component") };
  const added = new Map<Draft, string>();
  for (const [file, register] of registers) {
    const add = (draft: Draft): void => void added.set(draft, file);
    await rehearse(
      register,
      createRehearsalStrapi(drafts.types, drafts.components, bundle.loading.strapi, add),
      bundle,
    );
  }
  return {
    types: types.flatMap((raw) => {
      const definition = changedDefinition(raw.definition, drafts.types[raw.uid]!);
      return definition ? [{ ...raw, definition: definition as ContentTypeDefinition }] : [];
    }),
    components: [
      ...components.flatMap((raw) => {
        const definition = changedDefinition(raw.definition, drafts.components[raw.uid]!);
        return definition ? [{ ...raw, definition: definition as ComponentDefinition }] : [];
      }),
      ...[...added].map(([draft, file]) => addedComponent(file, draft)),
    ],
  };
}
