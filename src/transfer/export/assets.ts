/** Finds the media files of records, with their metadata in an archive. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { assetMetadata, assetName, type Entity, type Json } from "../archive/shapes.ts";
import type { LeftOut } from "../left-out.ts";

export interface Asset {
  readonly name: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly metadata: Json;
}

/** Undefined for missing files and invalid names, which are counted. */
function assetAt(folder: string | undefined, metadata: Json, leftOut: LeftOut): Asset | undefined {
  const name = assetName(metadata);
  if (typeof metadata.hash !== "string" || basename(name) !== name || name.startsWith(".")) {
    leftOut.add("names", JSON.stringify(name));
    return undefined;
  }
  const path = folder === undefined ? undefined : join(folder, name);
  const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path !== undefined && found?.isFile()) return { name, path, size: found.size, metadata };
  leftOut.add("files", JSON.stringify(name));
  return undefined;
}

/** The existing files of a record: its own and those of its formats. Counts others in `leftOut`. */
export function listAssets(folder: string | undefined, { id, data }: Entity, leftOut: LeftOut): Asset[] {
  if (data.provider !== "local") return [];
  return assetMetadata({ id, ...data }).flatMap((metadata) => assetAt(folder, metadata, leftOut) ?? []);
}
