/**
 * Checks all schema files. Files that Strapi cannot serve either are refused. Those that it serves differently from what
 * they say get a warning.
 */
import type { ProjectReport } from "../../lib/errors.ts";
import { isKebabCase } from "../../lib/kebab-case.ts";
import { CREATOR, creator } from "./builtin/creator.ts";
import type { CheckContext } from "./check/attribute-check.ts";
import { checkAttribute } from "./check/check-attribute.ts";
import { misspeltKeysOfFile } from "./check/misspelt-keys.ts";
import {
  ComponentFile,
  ContentTypeFile,
  ContentTypeParts,
  isLinkedType,
  OptionalParts,
  shapeProblems,
} from "./check/shapes.ts";
import { customFieldTypes } from "./custom-fields.ts";
import { checkIndexes } from "./declared-indexes.ts";
import type { RawComponent, RawContentType, RawSchema } from "./definition.ts";
import { resolveJoins } from "./joins.ts";
import { kebabCase, snakeCase } from "./names.ts";
import { toJoinSource } from "./resolve.ts";
import { SYSTEM_ATTRIBUTES } from "./system-attribute-names.ts";

type Raw = RawContentType | RawComponent;

/** Refuses the second of two files with the same name or table. */
class UniqueNames {
  readonly #files = new Map<string, string>();
  readonly #report: ProjectReport;

  constructor(report: ProjectReport) {
    this.#report = report;
  }

  add(name: string, file: string, key: string | undefined, reason: (other: string) => string): void {
    const other = this.#files.get(name);
    if (other === undefined) this.#files.set(name, file);
    else this.#report.refuse(file, key, reason(other));
  }
}

function checkNames(types: readonly RawContentType[], report: ProjectReport): void {
  const names = new UniqueNames(report);
  for (const { file, folder, uid, definition } of types) {
    const { singularName = "", pluralName = "" } = definition.info;
    if (folder !== singularName) {
      const reason = `the type's folder must be called as its singularName; found ${folder} and ${singularName}`;
      report.refuse(file, "info.singularName", reason);
    }
    if (uid.startsWith("plugin::")) continue;
    for (const [key, name] of [
      ["info.singularName", singularName],
      ["info.pluralName", pluralName],
    ] as const) {
      if (!isKebabCase(name)) report.refuse(file, key, `must be in kebab-case, not "${name}"`);
      names.add(name, file, key, (other) => `"${name}" must be unique; ${other} uses it too`);
    }
  }
}

/** Tables that Strapi creates, besides those of the built-in types. */
const STRAPI_TABLES = new Set([
  ...["admin_permissions", "admin_permissions_api_token_lnk", "admin_permissions_role_lnk", "admin_roles"],
  ...["admin_users_roles_lnk", "files_folder_lnk", "files_related_mph", "strapi_ai_localization_jobs"],
  ...["strapi_ai_metadata_jobs", "strapi_api_tokens", "strapi_api_token_permissions"],
  ...["strapi_api_token_permissions_token_lnk", "strapi_api_tokens_admin_user_owner_lnk"],
  ...["strapi_core_store_settings", "strapi_history_versions", "strapi_release_actions"],
  ...["strapi_release_actions_release_lnk", "strapi_releases", "strapi_sessions", "strapi_transfer_tokens"],
  ...["strapi_transfer_token_permissions", "strapi_transfer_token_permissions_token_lnk", "strapi_webhooks"],
  ...["strapi_workflows_stage_required_to_publish_lnk", "strapi_workflows_stages_permissions_lnk"],
  ...["strapi_workflows_stages_workflow_lnk", "up_permissions_role_lnk", "up_users_role_lnk"],
  "upload_folders_parent_lnk",
]);

function checkTables(raws: readonly Raw[], report: ProjectReport): void {
  const tables = new UniqueNames(report);
  // the built-in type of administrators has a table, but no file
  tables.add(toJoinSource(creator).table, CREATOR, undefined, () => "");
  for (const raw of raws) {
    const { table } = toJoinSource(raw);
    if (/^sqlite_/i.test(table)) report.refuse(raw.file, "collectionName", `"${table}" begins with a reserved prefix`);
    // plugins may declare types of Strapi that are not built in
    if (STRAPI_TABLES.has(table.toLowerCase()) && !/^(?:plugin|admin|strapi)::/.test(raw.uid))
      report.refuse(raw.file, "collectionName", `"${table}" is a table of Strapi itself`);
    tables.add(
      table.toLowerCase(),
      raw.file,
      "collectionName",
      (other) => `"${table}" must be unique; ${other} uses it too`,
    );
  }
}

function checkUids(raws: readonly Raw[], report: ProjectReport): void {
  const seenUids = new UniqueNames(report);
  for (const { uid, file } of raws)
    seenUids.add(uid, file, undefined, (other) => `has the same uid ${uid} as ${other}`);
}

/** The columns that every content-type has in Strapi. */
const TYPE_COLUMNS = ["created_at", "updated_at", "published_at", "created_by_id", "updated_by_id", "locale"];

/** Refuses attributes whose column is that of another one, or of none. */
function checkColumns({ file, definition, ...raw }: Raw, report: ProjectReport): void {
  const isType = "folder" in raw;
  const columns = new Map((isType ? TYPE_COLUMNS : []).map((column) => [column, "of every content-type"]));
  for (const [name, { type }] of Object.entries(definition.attributes)) {
    if (isType && (SYSTEM_ATTRIBUTES as readonly string[]).includes(name)) continue;
    const column = snakeCase(name);
    const refuse = (reason: string): void => report.refuse(file, `attributes.${name}`, reason);
    if (column === "id" || column === "document_id") refuse("the name is reserved");
    if (isLinkedType(type) && type !== "customField") continue;
    const other = columns.get(column);
    if (column === "") refuse("a name must have a letter or a digit");
    else if (other !== undefined) refuse(`has the same column "${column}" as the attribute ${other}`);
    columns.set(column, name);
  }
}

/** The files whose shape is valid enough for further checks. */
function keepReadable<T extends Raw>(
  raws: readonly T[],
  shape: typeof ContentTypeFile | typeof ComponentFile,
  optional: typeof ContentTypeParts | typeof OptionalParts,
  report: ProjectReport,
): T[] {
  return raws.filter(({ file, definition }) => {
    const problems = shapeProblems(shape, definition);
    for (const { key, reason } of problems) report.refuse(file, key, reason);
    if (problems.length > 0) return false;
    for (const { key, reason } of [...shapeProblems(optional, definition), ...misspeltKeysOfFile(definition)])
      report.warn(file, key, reason);
    return true;
  });
}

/** The uid of the content-type of a schema file. */
function uidOfFile(file: string): string | undefined {
  const [, api, name] = /^src\/api\/([^/]+)\/content-types\/([^/]+)\/schema\.json$/.exec(file) ?? [];
  return api && name && `api::${kebabCase(api)}.${kebabCase(name)}`;
}

export function checkSchema(raw: RawSchema, declared: Readonly<Record<string, string>>, report: ProjectReport): void {
  // before the checks refuse others
  const unloaded = report.refused.flatMap(({ file }) => uidOfFile(file) ?? []);
  const types = keepReadable(raw.types, ContentTypeFile, ContentTypeParts, report);
  const components = keepReadable(raw.components, ComponentFile, OptionalParts, report);
  const raws = [...types, ...components];
  checkUids(raws, report);
  checkNames(types, report);
  checkTables(raws, report);
  const context: CheckContext = {
    // components with problems count as existing, so that attributes that use them are not reported as well
    types: new Map(raw.types.filter((type) => types.includes(type)).map((type) => [type.uid, type])),
    components: new Map(raw.components.map((item) => [item.uid, item])),
    joins: resolveJoins(raws.map(toJoinSource)),
    customFieldType: customFieldTypes(declared, raw.customFields),
  };
  const unreadable = new Set([...raw.types.filter((type) => !types.includes(type)).map(({ uid }) => uid), ...unloaded]);
  for (const { file, definition } of types) checkIndexes(file, definition, report);
  for (const item of raws) {
    checkColumns(item, report);
    for (const [name, definition] of Object.entries(item.definition.attributes)) {
      // the target's problems have been reported
      if (unreadable.has(String(definition.target))) continue;
      const keyPath = (key: string): string => (key === "" ? `attributes.${name}` : `attributes.${name}.${key}`);
      checkAttribute({
        ...context,
        raw: item,
        name,
        definition,
        refuse: (key, reason) => report.refuse(item.file, keyPath(key), reason),
        warn: (key, reason) => report.warn(item.file, keyPath(key), reason),
      });
    }
  }
}
