/**
 * Content-types of plugins that extensions change in code, such as `plugin.contentTypes.user.schema.attributes.age = …`. They are
 * needed before the project is opened, so that such an extension is called twice: first here, where only content-types are real.
 */

import type { ContentTypeDefinition, RawContentType } from "../../engine/schema/definition.ts";
import { typeGlobalId } from "../../engine/schema/global-id.ts";
import { isRecord } from "../../lib/is-record.ts";
import { inert, withInertMembers } from "./inert.ts";
import type { CodeBundle } from "./load.ts";

type Extension = (plugin: object, options: object) => unknown;

const changesTypes = (extend: unknown): extend is Extension =>
  typeof extend === "function" && String(extend).includes("contentTypes");

/** The content-types after a call; changes before an error are kept, as at the start, which reports the error. */
function rehearse(extend: Extension, contentTypes: Record<string, unknown>, strapi: object): Record<string, unknown> {
  const plugin = withInertMembers({ contentTypes });
  try {
    const changed = extend(plugin, { strapi });
    if (changed instanceof Promise) changed.catch(() => {});
    if (isRecord(changed) && changed !== inert && isRecord(changed.contentTypes)) return changed.contentTypes;
  } catch {
    // reported at the start
  }
  return contentTypes;
}

/** What Strapi adds to the schemas of a plugin before its extension is called. */
const addedKeys = (plugin: string, uid: string): object => ({ plugin, globalId: typeGlobalId(uid) });

function withoutAddedKeys(schema: ContentTypeDefinition): ContentTypeDefinition {
  const { plugin: _, globalId: __, ...definition } = schema as ContentTypeDefinition & Record<string, unknown>;
  return definition;
}

/** The changed and added content-types. `types` is called only if an extension may change any. */
export function extendedTypes({ code, loading }: CodeBundle, types: () => readonly RawContentType[]): RawContentType[] {
  return [...code.extensions].flatMap(([plugin, extend]): RawContentType[] => {
    if (!changesTypes(extend)) return [];
    const prefix = `plugin::${plugin}.`;
    const own = new Map(
      types().flatMap((type) => (type.uid.startsWith(prefix) ? [[type.uid.slice(prefix.length), type] as const] : [])),
    );
    const copies = [...own].map(([name, { definition, uid }]) => {
      const schema = { ...structuredClone(definition), ...addedKeys(plugin, uid) };
      return [name, { schema }] as const;
    });
    const contentTypes = loading.withReplaced(inert, () =>
      rehearse(extend, Object.fromEntries(copies), loading.strapi),
    );
    const file = code.files.find(({ kind, owner }) => kind === "extension" && owner === plugin)?.file ?? plugin;
    return Object.entries(contentTypes).flatMap(([name, entry]): RawContentType[] => {
      const schema = isRecord(entry) ? (entry.schema as ContentTypeDefinition | undefined) : undefined;
      if (!isRecord(schema)) return [];
      const type = own.get(name);
      const definition = withoutAddedKeys(schema);
      const hidesPlugin = !schema.plugin;
      if (!hidesPlugin && Bun.deepEquals(definition, type?.definition)) return [];
      return [{ uid: prefix + name, file: `${file} (${name})`, folder: type?.folder ?? name, definition, hidesPlugin }];
    });
  });
}
