/** Reads the schema files of a project folder, without checking their content. */
import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { ProjectError, ProjectReport } from "../../lib/errors.ts";
import { isRecord, merge } from "../../lib/is-record.ts";
import { readSourceJson } from "../../lib/project-json.ts";
import { builtinTypes } from "./builtin/index.ts";
import type {
  ComponentDefinition,
  ContentTypeDefinition,
  RawComponent,
  RawContentType,
  RawSchema,
} from "./definition.ts";
import { kebabCase } from "./names.ts";

/** Converts all errors while reading a file to a ProjectError with its name. */
function withFileName<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ProjectError) throw cause;
    throw new ProjectError(file, undefined, `cannot be read (${cause instanceof Error ? cause.message : cause})`);
  }
}

/** Names of the folders in `dir`, sorted; none if there is no such folder. Dot folders are never part of a project. */
function listFolders(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return withFileName(dir, () => readdirSync(dir, { withFileTypes: true }))
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .sort();
}

function readDefinition(root: string, file: string, report: ProjectReport): unknown {
  if (file.endsWith(".json")) return readSourceJson(root, file, report);
  const { createRequire } = require("node:module") as typeof import("node:module");
  const path = join(root, file);
  const load = createRequire(path);
  // read again, since the file may have changed while the server is running
  delete load.cache[path];
  const module: unknown = withFileName(file, () => load(path));
  return module !== null && typeof module === "object" && "default" in module ? module.default : module;
}

const SCHEMA_EXTENSIONS = [".json", ".js", ".ts"];

/** Strapi loads all files of a content-type's folder, and does not start for invalid JSON. */
function checkOtherFiles(root: string, dir: string, names: ReadonlySet<string>, report: ProjectReport): void {
  for (const name of names)
    if (extname(name) === ".json" && name !== "schema.json")
      report.attempt(() => readSourceJson(root, `${dir}/${name}`, report));
}

/** Schemas beside the folders in which Strapi finds them are not read. */
function warnOfMisplaced(root: string, api: string, report: ProjectReport): void {
  const expected = `is not read; a content-type is src/api/${api}/content-types/<name>/schema.json`;
  for (const file of ["schema.json", "content-types/schema.json", "content-type"])
    if (existsSync(join(root, "src/api", api, file))) report.warn(`src/api/${api}/${file}`, undefined, expected);
}

/** Of folders whose names differ in case or spelling, the last one counts, as in Strapi. */
function loadTypes(root: string, report: ProjectReport): RawContentType[] {
  const types = new Map<string, RawContentType>();
  for (const api of listFolders(join(root, "src/api"))) {
    warnOfMisplaced(root, api, report);
    for (const folder of listFolders(join(root, "src/api", api, "content-types"))) {
      const dir = `src/api/${api}/content-types/${folder}`;
      const names = new Set(withFileName(dir, () => readdirSync(join(root, dir))));
      const schema = SCHEMA_EXTENSIONS.map((ending) => `schema${ending}`).find((name) => names.has(name));
      if (schema === undefined) {
        const reason = "could not load the content-type: there is no schema.json in its folder";
        report.refuse(`${dir}/schema.json`, undefined, reason);
        continue;
      }
      const file = `${dir}/${schema}`;
      checkOtherFiles(root, dir, names, report);
      const name = kebabCase(folder);
      const uid = `api::${kebabCase(api)}.${name}`;
      const definition = report.attempt(() => ({ value: readDefinition(root, file, report) }))?.value;
      if (definition === null) report.refuse(file, undefined, "could not load the content-type: it is null");
      else if (definition) {
        const other = types.get(uid);
        if (other) report.warn(other.file, undefined, `is not used, since ${file} has the same uid ${uid}`);
        types.set(uid, { uid, file, folder: name, definition: definition as ContentTypeDefinition });
      }
    }
  }
  return [...types.values()];
}

/** In descending order of their paths, as Strapi loads and lists them. Files with the same name are merged, as there. */
function loadComponents(root: string, report: ProjectReport): RawComponent[] {
  const components = new Map<string, RawComponent>();
  const folder = join(root, "src/components");
  for (const name of existsSync(folder) ? withFileName(folder, () => readdirSync(folder)) : [])
    if (extname(name) === ".json")
      report.warn(
        `src/components/${name}`,
        undefined,
        "is not read; a component is src/components/<category>/<name>.json",
      );
  for (const category of listFolders(join(root, "src/components")).reverse()) {
    const dir = `src/components/${category}`;
    const names = withFileName(dir, () => readdirSync(join(root, dir))).sort();
    for (const name of names.reverse()) {
      if (!/(?<!\.d)\.(json|js|ts)$/.test(name) || name.startsWith(".")) continue;
      const file = `${dir}/${name}`;
      const uid = `${category}.${name.replace(/\.(json|js|ts)$/, "")}`.toLowerCase();
      const definition = report.attempt(() => readDefinition(root, file, report)) as ComponentDefinition | undefined;
      if (!definition) continue;
      const other = components.get(uid);
      if (!other || !isRecord(definition)) components.set(uid, { uid, file, category, definition });
      else {
        report.warn(file, undefined, `is merged with ${other.file}, which has the same uid ${uid}`);
        components.set(uid, {
          ...other,
          definition: merge(other.definition, definition) as unknown as ComponentDefinition,
        });
      }
    }
  }
  return [...components.values()];
}

const extensionFile = (plugin: string, folder: string): string =>
  `src/extensions/${plugin}/content-types/${folder}/schema.json`;

/** An extension replaces whole top-level keys of a plugin's own definition, as Strapi does. */
function extendBuiltin(root: string, uid: string, report: ProjectReport): RawContentType {
  const builtin = builtinTypes[uid]!;
  const [plugin, folder] = uid.slice("plugin::".length).split(".") as [string, string];
  const file = extensionFile(plugin, folder);
  if (!existsSync(join(root, file))) return { uid, file: `<${uid}>`, folder, definition: builtin };
  const extension = report.attempt(() => readSourceJson(root, file, report)) as
    | ContentTypeDefinition
    | null
    | undefined;
  return { uid, file, folder, definition: { ...builtin, ...extension } };
}

/** The table of a plugin's type has the plugin's name, unless the schema says otherwise. */
function withTableOfPlugin(type: RawContentType): RawContentType {
  const { uid, definition } = type;
  if (definition.collectionName) return type;
  const [plugin, name] = uid.slice("plugin::".length).split(".");
  return { ...type, definition: { ...definition, collectionName: `${plugin}_${name}`.toLowerCase() } };
}

/** Definitions in the folder of a plugin's extension. */
function extensionTypes(root: string, plugin: string, report: ProjectReport): RawContentType[] {
  return listFolders(join(root, "src/extensions", plugin, "content-types")).flatMap((folder): RawContentType[] => {
    const file = extensionFile(plugin, folder);
    if (!existsSync(join(root, file))) return [];
    const definition = report.attempt(() => readSourceJson(root, file, report)) as ContentTypeDefinition | undefined;
    return definition ? [{ uid: `plugin::${plugin}.${folder}`, file, folder, definition }] : [];
  });
}

/** Content-types that extensions add to built-in plugins. */
function loadTypesOfExtensions(root: string, report: ProjectReport): RawContentType[] {
  const plugins = new Set(Object.keys(builtinTypes).map((uid) => uid.slice("plugin::".length).split(".")[0]!));
  return listFolders(join(root, "src/extensions"))
    .filter((plugin) => plugins.has(plugin))
    .flatMap((plugin) => extensionTypes(root, plugin, report).filter(({ uid }) => !(uid in builtinTypes)))
    .map(withTableOfPlugin);
}

/** `types` of plugins that the project runs, with the schema files of their extensions. */
export function extendPluginTypes(
  root: string,
  plugins: Iterable<string>,
  types: readonly RawContentType[],
  report: ProjectReport,
): RawContentType[] {
  const extensions = new Map(
    [...plugins].flatMap((plugin) => extensionTypes(root, plugin, report).map((type) => [type.uid, type] as const)),
  );
  const extended = types.map((type): RawContentType => {
    const extension = extensions.get(type.uid);
    if (!extension) return type;
    return { ...type, file: extension.file, definition: { ...type.definition, ...extension.definition } };
  });
  const known = new Set(types.map(({ uid }) => uid));
  return [...extended, ...[...extensions.values()].filter(({ uid }) => !known.has(uid))].map(withTableOfPlugin);
}

/** Strapi loads the schemas of all extensions, also of plugins that it does not run. */
function checkExtensions(root: string, report: ProjectReport): void {
  if (!existsSync(join(root, "src/extensions"))) return;
  for (const name of new Bun.Glob("**/content-types/**/schema.json").scanSync(join(root, "src/extensions"))) {
    const file = `src/extensions/${name.replaceAll("\\", "/")}`;
    const extension = report.attempt(() => ({ value: readSourceJson(root, file, report) }));
    if (extension && Object(extension.value) !== extension.value) report.refuse(file, undefined, "must hold an object");
  }
}

const loadPluginTypes = (root: string, report: ProjectReport): RawContentType[] => [
  ...Object.keys(builtinTypes).map((uid) => extendBuiltin(root, uid, report)),
  ...loadTypesOfExtensions(root, report),
];

/** Files that cannot be read or parsed go to `report`; without one, they are thrown as a ProjectError. */
export function loadSchema(root: string, callerReport?: ProjectReport): RawSchema {
  const report = callerReport ?? new ProjectReport();
  const schema = readSchema(root, report);
  if (!callerReport) report.finish();
  return schema;
}

function readSchema(root: string, report: ProjectReport): RawSchema {
  checkExtensions(root, report);
  const types = [...loadPluginTypes(root, report), ...loadTypes(root, report)];
  const components = loadComponents(root, report);
  return { types, components };
}
