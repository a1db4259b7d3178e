/** Classifies the files of an archive by their paths. */
import { isDeviceName } from "../../lib/file-names.ts";

export const stages = ["schemas", "entities", "links", "configuration"] as const;
export type Stage = (typeof stages)[number];

export type ParsedPath =
  | { readonly kind: "metadata" }
  | { readonly kind: "rows"; readonly stage: Stage }
  /** The metadata of the media file `name`. */
  | { readonly kind: "asset-metadata"; readonly name: string }
  | { readonly kind: "asset"; readonly name: string }
  | { readonly kind: "unknown" };

const ROWS = new RegExp(`^(${stages.join("|")})/[^/]+\\.jsonl$`);
/** Files that macOS adds to archives. */
const RESOURCE_FORK = /(^|\/)\._[^/]*$/;
const ASSET = /^assets\/uploads\/([^/]+)$/;
const ASSET_METADATA = /^assets\/metadata\/([^/]+)\.json$/;

/** Normalises a path. Archives that early versions wrote on Windows have backslashes. */
export const normalisePath = (path: string): string =>
  (path.includes("/") ? path : path.replaceAll("\\", "/")).replace(/^(\.\/)+/, "");

/** Whether a path leads out of its folder, or has a different meaning on another system. */
function isUnsafe(path: string): boolean {
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return true;
  if (path.includes("\0") || path.includes("\\")) return true;
  return path.split("/").includes("..");
}

const MAX_NAME_BYTES = 200;

/** Whether a name is valid for a media file on all systems: not hidden, not a device, not an alternate data stream. */
export const isAssetName = (name: string): boolean =>
  !name.startsWith(".") &&
  !isDeviceName(name) &&
  !/[\p{Cc}\\/:*?"<>|]/u.test(name) &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES;

/** Classifies a normalised path. Undefined for an unsafe one. */
export function parsePath(path: string): ParsedPath | undefined {
  if (isUnsafe(path)) return undefined;
  if (RESOURCE_FORK.test(path)) return { kind: "unknown" };
  if (path === "metadata.json") return { kind: "metadata" };
  const rows = ROWS.exec(path);
  if (rows) return { kind: "rows", stage: rows[1] as Stage };
  const metadata = ASSET_METADATA.exec(path);
  if (metadata) return { kind: "asset-metadata", name: metadata[1]! };
  const asset = ASSET.exec(path);
  return asset ? { kind: "asset", name: asset[1]! } : { kind: "unknown" };
}
