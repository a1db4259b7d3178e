/** Writes the content of a database as an archive that `strapi import` and `galley import` read. */
import { DEFAULT_LOCALE } from "../../access/apply.ts";
import type { Settings } from "../../config/settings.ts";
import type { DocumentsContext } from "../../documents/context.ts";
import { API_FOLDER_META } from "../../media/folders.ts";
import { FILE } from "../../schema/builtin/index.ts";
import type { RawSchema } from "../../schema/definition.ts";
import { contentType } from "../../schema/model.ts";
import type { ArchiveSource } from "../archive/entries.ts";
import type { CoreStoreRow, Entity, LinkRow } from "../archive/shapes.ts";
import { ArchiveWriter } from "./archive-writer.ts";
import { assetsOf } from "./assets.ts";
import { EntityReader, exportedTypes } from "./entities.ts";
import { LinkReader } from "./links.ts";
import { schemaRows } from "./schemas.ts";

/** The version whose format is written, for readers that look at it. */
const STRAPI_VERSION = "5.54.0";

export interface ExportSource {
  readonly context: DocumentsContext;
  readonly schema: RawSchema;
  readonly settings: Settings;
  /** Undefined where nothing was uploaded. */
  readonly uploadFolder: string | undefined;
}

export interface ExportResult {
  readonly entities: number;
  readonly links: number;
  readonly assets: number;
}

export function* configurationRows({ context, settings }: ExportSource): Generator<unknown> {
  const { auth } = settings;
  const rows: CoreStoreRow[] = [
    { key: "plugin_i18n_default_locale", value: context.storage.meta(DEFAULT_LOCALE) ?? "en", type: "string" },
    {
      key: "plugin_users-permissions_advanced",
      value: {
        unique_email: true,
        allow_register: auth.allowRegister,
        email_confirmation: auth.emailConfirmation,
        email_reset_password: auth.resetPasswordUrl || null,
        email_confirmation_redirection: auth.emailConfirmationRedirection || null,
        default_role: auth.defaultRole,
      },
      type: "object",
    },
  ];
  const folder = context.storage.meta(API_FOLDER_META);
  if (folder !== undefined)
    rows.push({ key: "plugin_upload_api-folder", value: { id: Number(folder) }, type: "object" });
  for (const [index, row] of rows.entries())
    yield { type: "core-store", value: { id: index + 1, ...row, environment: null, tag: null } };
}

export function* entityRows({ context }: ExportSource): Generator<Entity> {
  const reader = new EntityReader(context);
  for (const type of exportedTypes(context.model)) yield* reader.rows(type);
}

export function* linkRows({ context }: ExportSource): Generator<LinkRow> {
  const reader = new LinkReader(context);
  for (const schema of [...exportedTypes(context.model), ...context.model.components.values()])
    yield* reader.links(schema);
}

/** Reads one moment of the content; throws what the disk throws, and leaves no unfinished file then. */
export async function exportArchive(source: ExportSource, target: ArchiveSource): Promise<ExportResult> {
  const { context, schema, uploadFolder } = source;
  const { storage, model } = context;
  const entities = new EntityReader(context);
  return storage.snapshotReads(async () => {
    const writer = new ArchiveWriter(target);
    try {
      await writer.rows("schemas", schemaRows(schema, model));
      const entityCount = await writer.rows("entities", entityRows(source));
      let assets = 0;
      for (const file of entities.rows(contentType(model, FILE))) {
        for (const asset of assetsOf(uploadFolder, file)) {
          await writer.asset(asset);
          assets++;
        }
      }
      const linkCount = await writer.rows("links", linkRows(source));
      await writer.rows("configuration", configurationRows(source));
      const metadata = { createdAt: new Date().toISOString(), strapi: { version: STRAPI_VERSION } };
      await writer.text("metadata.json", JSON.stringify(metadata, null, 2));
      await writer.finish();
      return { entities: entityCount, links: linkCount, assets };
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  });
}
