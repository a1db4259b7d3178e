/** What `galley serve` serves, by its argument. */
import { resolve } from "node:path";
import { isLocation } from "../../server/published/location.ts";
import type { ArchiveSource } from "../../transfer/archive/entries.ts";
import { findArchive } from "../archive-source.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { findProject, projectFolder } from "../project-folder.ts";

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const MIN_REFRESH_MS = 100;
const MAX_REFRESH_MS = 86_400_000;

/** Parses an interval to milliseconds. Throws a UsageError. */
export function parseRefresh(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ""] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(number) * (MILLISECONDS[unit] ?? Number.NaN);
  if (!(milliseconds >= MIN_REFRESH_MS && milliseconds <= MAX_REFRESH_MS))
    throw new UsageError(`--refresh must be a time such as 30s, 5m or 1h, from 100ms to 24h, not "${text}"`);
  return milliseconds;
}

/** Throws a UsageError for options that published archives do not support. */
function publishedOptions(call: CommandCall) {
  for (const option of ["memory", "admin", "no-content-sync"])
    if (call.flag(option)) throw new UsageError(`--${option} is for projects; a published archive is only read`);
  return { refresh: parseRefresh(call.text("refresh")), key: call.text("key") };
}

export type ServeTarget =
  | { readonly kind: "project"; readonly root: string }
  | { readonly kind: "archive"; readonly root: string; readonly archive: ArchiveSource }
  | { readonly kind: "published"; readonly location: string; readonly options: ReturnType<typeof publishedOptions> };

/** Throws a UsageError for a path where there is nothing to serve, and for options that do not apply to it. */
export function readTarget(call: CommandCall): ServeTarget {
  const location = call.arguments[0] ?? findProject(process.cwd()) ?? ".";
  if (isLocation(location)) return { kind: "published", location, options: publishedOptions(call) };
  const root = resolve(location);
  const archive = findArchive(root, call.text("key"));
  if (call.text("refresh") !== undefined) throw new UsageError("--refresh is for archives at https:// or s3://");
  if (archive) return { kind: "archive", root, archive };
  return { kind: "project", root: projectFolder(root) };
}
