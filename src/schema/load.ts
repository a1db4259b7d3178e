/** Reads the schema files of a project folder; checks nothing but that they can be read. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectError, ProjectReport } from "../errors.ts";
import { builtinTypes } from "./builtin/index.ts";
import { isListedField } from "./custom-fields.ts";
import type {
  ComponentDefinition,
  ContentTypeDefinition,
  RawComponent,
  RawContentType,
  RawSchema,
} from "./definition.ts";
import { kebabCase } from "./names.ts";

/** Throws a ProjectError that names the file, whatever goes wrong while it is read. */
function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ProjectError) throw cause;
    throw new ProjectError(file, undefined, `cannot be read (${cause instanceof Error ? cause.message : cause})`);
  }
}

/** Names of the folders in `dir`, sorted; none if there is no such folder. Dot folders are never part of a project. */
function folders(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return reading(dir, () => readdirSync(dir, { withFileTypes: true }))
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .sort();
}

function readJson(root: string, file: string): unknown {
  // editors on Windows begin files with a byte order mark
  const text = reading(file, () => readFileSync(join(root, file), "utf8")).replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProjectError(file, undefined, `is not valid JSON (${(cause as Error).message})`);
  }
}

function readDefinition(root: string, file: string): unknown {
  if (file.endsWith(".json")) return readJson(root, file);
  const { createRequire } = require("node:module") as typeof import("node:module");
  const path = join(root, file);
  const load = createRequire(path);
  // a file that was changed while the server runs is read again
  delete load.cache[path];
  const module: unknown = reading(file, () => load(path));
  return module !== null && typeof module === "object" && "default" in module ? module.default : module;
}

function loadTypes(root: string, report: ProjectReport): RawContentType[] {
  const types: RawContentType[] = [];
  for (const api of folders(join(root, "src/api"))) {
    for (const folder of folders(join(root, "src/api", api, "content-types"))) {
      const file = `src/api/${api}/content-types/${folder}/schema.json`;
      if (!existsSync(join(root, file))) {
        report.refuse(file, undefined, "could not load the content-type: there is no schema.json in its folder");
        continue;
      }
      const name = kebabCase(folder);
      const definition = report.attempt(() => readJson(root, file)) as ContentTypeDefinition | undefined;
      if (definition) types.push({ uid: `api::${kebabCase(api)}.${name}`, file, folder: name, definition });
    }
  }
  return types;
}

function loadComponents(root: string, report: ProjectReport): RawComponent[] {
  const components: RawComponent[] = [];
  for (const category of folders(join(root, "src/components"))) {
    const dir = `src/components/${category}`;
    for (const name of reading(dir, () => readdirSync(join(root, dir))).sort()) {
      if (!/\.(json|js)$/.test(name) || name.startsWith(".")) continue;
      const file = `${dir}/${name}`;
      const uid = `${category}.${name.replace(/\.(json|js)$/, "")}`.toLowerCase();
      const definition = report.attempt(() => readDefinition(root, file)) as ComponentDefinition | undefined;
      if (definition) components.push({ uid, file, category, definition });
    }
  }
  return components;
}

/** An extension replaces whole top-level keys of a plugin's own definition, as the reference does. */
function loadPluginTypes(root: string, report: ProjectReport): RawContentType[] {
  return Object.entries(builtinTypes).map(([uid, builtin]) => {
    const [plugin, folder] = uid.slice("plugin::".length).split(".") as [string, string];
    const file = `src/extensions/${plugin}/content-types/${folder}/schema.json`;
    if (!existsSync(join(root, file))) return { uid, file: `<${uid}>`, folder, definition: builtin };
    const extension = report.attempt(() => readJson(root, file)) as ContentTypeDefinition | undefined;
    return { uid, file, folder, definition: { ...builtin, ...extension } };
  });
}

/** The custom fields that the table of well-known ones does not have. */
function unlistedFields(raws: readonly (RawContentType | RawComponent)[]): ReadonlySet<string> {
  const uids = raws.flatMap(({ definition }) =>
    Object.values(definition?.attributes ?? {}).flatMap((attribute) =>
      attribute?.type === "customField" ? [String(attribute.customField)] : [],
    ),
  );
  return new Set(uids.filter((uid) => !isListedField(uid)));
}

/** Files that cannot be read or parsed go to `report`; without one, they are thrown as a ProjectError. */
export function loadSchema(root: string, given?: ProjectReport): RawSchema {
  const report = given ?? new ProjectReport();
  const schema = readSchema(root, report);
  if (!given) report.finish();
  return schema;
}

function readSchema(root: string, report: ProjectReport): RawSchema {
  const types = [...loadPluginTypes(root, report), ...loadTypes(root, report)];
  const components = loadComponents(root, report);
  const fields = unlistedFields([...types, ...components]);
  if (fields.size === 0) return { types, components };
  const { findRegisteredFields } = require("./registered-fields.ts") as typeof import("./registered-fields.ts");
  return { types, components, customFields: findRegisteredFields(root, fields) };
}
