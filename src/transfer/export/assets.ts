/** Finds the media files of records, with their metadata in an archive. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import type { Entity, Json } from "../archive/shapes.ts";

export interface Asset {
  readonly name: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly metadata: Json;
}

/** Undefined for missing files and invalid names. */
function assetAt(folder: string, metadata: Json): Asset | undefined {
  const name = `${metadata.hash}${metadata.ext ?? ""}`;
  if (typeof metadata.hash !== "string" || basename(name) !== name || name.startsWith(".")) return undefined;
  const path = join(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? { name, path, size: found.size, metadata } : undefined;
}

/** The existing files of a record: its own and those of its formats. */
export function assetsOf(folder: string | undefined, { id, data }: Entity): Asset[] {
  if (folder === undefined || data.provider !== "local") return [];
  const formats = isRecord(data.formats) ? Object.entries(data.formats) : [];
  return [
    { id, ...data },
    ...formats.flatMap(([type, format]) => (isRecord(format) ? [{ ...format, type, id, mainHash: data.hash }] : [])),
  ].flatMap((metadata) => assetAt(folder, metadata) ?? []);
}
