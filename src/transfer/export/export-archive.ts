/** Exports the content of a database as an archive for `strapi import` and `galley import`. */
import { REFERENCE_VERSION } from "../../engine/config/reference-version.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { contentType } from "../../engine/schema/model.ts";
import { asProjectError } from "../../engine/storage/problems.ts";
import type { ArchiveSource } from "../archive/entries.ts";
import type { Entity, LinkRow } from "../archive/shapes.ts";
import { configurationRows } from "../configuration.ts";
import { LeftOut } from "../left-out.ts";
import { ArchiveWriter } from "./archive-writer.ts";
import { assetsOf } from "./assets.ts";
import { EntityReader, exportedTypes } from "./entities.ts";
import { LinkReader } from "./links.ts";
import { schemaRows } from "./schemas.ts";

export interface ExportSource {
  readonly context: DocumentsContext;
  readonly schema: RawSchema;
  readonly settings: Settings;
  /** Undefined if nothing was uploaded. */
  readonly uploadFolder: string | undefined;
}

export interface ExportResult {
  readonly entities: number;
  readonly links: number;
  readonly assets: number;
  /** Files of media records that the archive lacks, as lines. */
  readonly leftOut: readonly string[];
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

/** Exports a consistent snapshot. Rejects with errors of the file system, without leaving a partial file. */
export async function exportArchive(source: ExportSource, target: ArchiveSource): Promise<ExportResult> {
  const { context, schema, uploadFolder } = source;
  const { storage, model } = context;
  const entities = new EntityReader(context);
  return storage.snapshotReads(async () => {
    const writer = new ArchiveWriter(target);
    try {
      await writer.rows("schemas", schemaRows(schema, model));
      const entityCount = await writer.rows("entities", entityRows(source));
      const leftOut = new LeftOut();
      let assets = 0;
      for (const file of entities.rows(contentType(model, FILE))) {
        for (const asset of assetsOf(uploadFolder, file, leftOut)) {
          await writer.asset(asset);
          assets++;
        }
      }
      const linkCount = await writer.rows("links", linkRows(source));
      await writer.rows("configuration", configurationRows(storage, source.settings));
      const metadata = { createdAt: new Date().toISOString(), strapi: { version: REFERENCE_VERSION } };
      await writer.text("metadata.json", JSON.stringify(metadata, null, 2));
      await writer.finish();
      return { entities: entityCount, links: linkCount, assets, leftOut: leftOut.lines() };
    } catch (error) {
      await writer.abandon();
      throw asProjectError(error, target.file);
    }
  });
}
