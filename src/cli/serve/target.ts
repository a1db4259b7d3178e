/** What `galley serve` serves, by its argument. */
import { resolve } from "node:path";
import { isLocation } from "../../server/published/location.ts";
import type { ArchiveSource } from "../../transfer/archive/entries.ts";
import { findArchive } from "../archive-source.ts";
import { type CommandCall, UsageError } from "../command.ts";
import { findProject, projectFolder } from "../project-folder.ts";
import { type PublishedCall, publishedOptions } from "./published-options.ts";

export type ServeTarget =
  | { readonly kind: "project"; readonly root: string }
  | { readonly kind: "archive"; readonly root: string; readonly archive: ArchiveSource }
  | { readonly kind: "published"; readonly location: string; readonly options: PublishedCall };

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
