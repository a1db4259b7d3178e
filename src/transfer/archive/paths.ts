/** Classifies the files of an archive by their paths. */
import { isDeviceName } from "../../file-names.ts";

export const stages = ["schemas", "entities", "links", "configuration"] as const;
export type Stage = (typeof stages)[number];

export type Place =
  | { readonly kind: "metadata" }
  | { readonly kind: "rows"; readonly stage: Stage }
  /** The metadata of the media file `name`. */
  | { readonly kind: "asset-metadata"; readonly name: string }
  | { readonly kind: "asset"; readonly name: string }
  | { readonly kind: "unknown" };

const ROWS = new RegExp(`^(${stages.join("|")})/[^/]+\\.jsonl$`);
/** What macOS puts beside each file when it makes archives. */
const RESOURCE_FORK = /(^|\/)\._[^/]*$/;
const ASSET = /^assets\/uploads\/([^/]+)$/;
const ASSET_METADATA = /^assets\/metadata\/([^/]+)\.json$/;

/** One spelling of a path. Archives that were written on Windows by early versions have backslashes. */
export const normalisePath = (path: string): string =>
  (path.includes("/") ? path : path.replaceAll("\\", "/")).replace(/^(\.\/)+/, "");

/** A path that leads out of the folder it is in, or means something else on another system. */
function isUnsafe(path: string): boolean {
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return true;
  if (path.includes("\0") || path.includes("\\")) return true;
  return path.split("/").includes("..");
}

const MAX_NAME_BYTES = 200;

/** Whether a media file may be stored under a name on every system: no hidden file, no device, no other stream of a file. */
export const isAssetName = (name: string): boolean =>
  !name.startsWith(".") &&
  !isDeviceName(name) &&
  !/[\p{Cc}\\/:*?"<>|]/u.test(name) &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES;

/** Undefined for a normalised path that no archive may have. */
export function placeOf(path: string): Place | undefined {
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
