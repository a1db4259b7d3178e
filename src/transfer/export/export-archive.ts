/** Exports the content of a database as an archive for `strapi import` and `galley import`. */
import { REFERENCE_VERSION } from "../../engine/config/reference-version.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { contentType } from "../../engine/schema/model.ts";
import type { Progress } from "../../lib/progress.ts";
import type { ArchiveSource } from "../archive/entries.ts";
import type { Entity, LinkRow } from "../archive/shapes.ts";
import { configurationRows } from "../configuration.ts";
import { LeftOut } from "../left-out.ts";
import { type ComponentIds, EVERYTHING, type SelectableStage, type Selection } from "../selection.ts";
import { type ArchiveWriter, writeArchive } from "./archive-writer.ts";
import { listAssets } from "./assets.ts";
import { EntityReader, exportedTypes } from "./entities.ts";
import { createLinkReader } from "./links.ts";
import { schemaRows } from "./schemas.ts";

export interface ExportSource {
  readonly context: DocumentsContext;
  readonly schema: RawSchema;
  readonly settings: Settings;
  /** Undefined if nothing was uploaded. */
  readonly uploadFolder: string | undefined;
  /** By default everything. */
  readonly selection?: Selection;
  readonly progress?: Progress;
}

export interface ExportResult {
  readonly entities: number;
  readonly links: number;
  readonly assets: number;
  /** Missing files of media records, and what another server has no type or attribute for, as lines. */
  readonly leftOut: readonly string[];
}

/** `components`: gets the components of these rows. */
export function* entityRows(
  { context, selection = EVERYTHING }: ExportSource,
  components?: ComponentIds,
): Generator<Entity> {
  const reader = new EntityReader(context, { components: selection.filtersTypes ? components : undefined });
  for (const type of exportedTypes(context.model)) if (selection.hasType(type.uid)) yield* reader.rows(type);
}

/** `components`: those of the entities, which are read before. */
export function* linkRows(
  { context, selection = EVERYTHING }: ExportSource,
  components?: ComponentIds,
): Generator<LinkRow> {
  const reader = createLinkReader(context);
  for (const schema of [...exportedTypes(context.model), ...context.model.components.values()])
    for (const link of reader.links(schema)) if (selection.hasLink(link, components)) yield link;
}

/** Exports a consistent snapshot. Rejects as `writeArchive`. */
export async function exportArchive(source: ExportSource, target: ArchiveSource): Promise<ExportResult> {
  const { context, schema, uploadFolder, selection = EVERYTHING, progress } = source;
  const { storage, model } = context;
  const components: ComponentIds = new Map();
  const write = async (writer: ArchiveWriter): Promise<ExportResult> => {
    const rows = async (stage: Exclude<SelectableStage, "assets">, found: Iterable<unknown>): Promise<number> =>
      selection.has(stage) ? writer.rows(stage, found) : 0;
    await writer.rows("schemas", schemaRows(schema, model));
    const entityCount = await rows("entities", entityRows(source, components));
    const leftOut = new LeftOut();
    let assets = 0;
    const files = selection.has("assets") ? new EntityReader(context).rows(contentType(model, FILE)) : [];
    for (const file of files) {
      for (const asset of listAssets(uploadFolder, file, leftOut)) {
        await writer.asset(asset);
        assets++;
      }
    }
    const linkCount = await rows("links", linkRows(source, components));
    await rows("configuration", configurationRows(storage, source.settings));
    const metadata = { createdAt: new Date().toISOString(), strapi: { version: REFERENCE_VERSION } };
    await writer.text("metadata.json", JSON.stringify(metadata, null, 2));
    return { entities: entityCount, links: linkCount, assets, leftOut: leftOut.lines() };
  };
  return storage.snapshotReads(() => writeArchive(target, write, progress));
}
