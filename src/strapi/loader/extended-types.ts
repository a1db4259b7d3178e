/**
 * Content-types of plugins that extensions change in code, such as `plugin.contentTypes.user.schema.attributes.age = …`. They are
 * needed before the project is opened, so that such an extension is called twice: first here, where only content-types are real.
 */

import type { ContentTypeDefinition, RawContentType } from "../../engine/schema/definition.ts";
import { typeGlobalId } from "../../engine/schema/global-id.ts";
import { isRecord } from "../../lib/is-record.ts";
import { withTimeout } from "../../lib/with-timeout.ts";
import { findFile, isMentionedBeside } from "./files-beside.ts";
import { inert, MAX_WAIT_MS, withInertMembers } from "./inert.ts";
import type { CodeBundle } from "./load.ts";

type Extension = (plugin: object, options: object) => unknown;

const MENTIONS_TYPES = /\bcontentTypes\b/;
/** A call that passes the plugin on. */
const PASSES_PLUGIN = /\w\(\s*(?:\{\s*)?plugin\d*\b/;

/** Whether an extension may change content-types, by itself or in a file beside it. */
function changesTypes(extend: unknown, bundle: CodeBundle, file: string | undefined): extend is Extension {
  if (typeof extend !== "function") return false;
  const text = String(extend);
  return MENTIONS_TYPES.test(text) || (PASSES_PLUGIN.test(text) && isMentionedBeside(bundle, file, MENTIONS_TYPES));
}

/** The content-types after a call; changes before an error are kept, as at the start, which reports the error. */
async function rehearse(
  extend: Extension,
  contentTypes: Record<string, unknown>,
  strapi: object,
): Promise<Record<string, unknown>> {
  const plugin = withInertMembers({ contentTypes });
  try {
    const result = extend(plugin, { strapi });
    const changed = result instanceof Promise ? await withTimeout<unknown>(result, MAX_WAIT_MS, () => {}) : result;
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
export async function extendedTypes(
  bundle: CodeBundle,
  types: () => readonly RawContentType[],
): Promise<RawContentType[]> {
  const { code, loading } = bundle;
  const found: RawContentType[] = [];
  for (const [plugin, extend] of code.extensions) {
    const file = findFile(bundle, "extension", plugin);
    if (!changesTypes(extend, bundle, file)) continue;
    const prefix = `plugin::${plugin}.`;
    const own = new Map(
      types().flatMap((type) => (type.uid.startsWith(prefix) ? [[type.uid.slice(prefix.length), type] as const] : [])),
    );
    const copies = [...own].map(([name, { definition, uid }]) => {
      const schema = { ...structuredClone(definition), ...addedKeys(plugin, uid) };
      return [name, { schema }] as const;
    });
    const contentTypes = await loading.withReplaced(inert, () =>
      rehearse(extend, Object.fromEntries(copies), loading.strapi),
    );
    for (const [name, entry] of Object.entries(contentTypes)) {
      const schema = isRecord(entry) ? (entry.schema as ContentTypeDefinition | undefined) : undefined;
      if (!isRecord(schema)) continue;
      const type = own.get(name);
      const definition = withoutAddedKeys(schema);
      const hidesPlugin = !schema.plugin;
      if (!hidesPlugin && Bun.deepEquals(definition, type?.definition)) continue;
      const folder = type?.folder ?? name;
      found.push({ uid: prefix + name, file: `${file ?? plugin} (${name})`, folder, definition, hidesPlugin });
    }
  }
  return found;
}
