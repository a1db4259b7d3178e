/** Brings the tables of a project's database to its files, and remembers what they were made for. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Model } from "../../engine/schema/model.ts";
import { CHANGE_LOG } from "../../engine/storage/catalog.ts";
import { checkDatabase } from "../../engine/storage/check-database.ts";
import { DEFAULT_LOCALE } from "../../engine/storage/core-store.ts";
import { createLayout } from "../../engine/storage/layout.ts";
import { whileHolding } from "../../engine/storage/lock-holder.ts";
import type { Change, Migration } from "../../engine/storage/migrate.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { ProjectProblem } from "../../lib/errors.ts";

/** Meta key of the fingerprint of the files that the tables were made for. */
const CHECKED = "checked";
/** Meta key of the warnings about these files. */
const WARNINGS = "warnings";

/** Tables of a larger database take long to change. */
export const LARGE_BYTES = 8_000_000;

export interface CheckedFiles {
  readonly fingerprint: string;
  readonly warnings: readonly ProjectProblem[];
  readonly model: Model;
  readonly settings: Settings;
}

/** Undefined for a new database. */
export const checkedFingerprint = (storage: Storage): string | undefined => storage.meta(CHECKED);

export const storedWarnings = (storage: Storage): readonly ProjectProblem[] =>
  (storage.metaJson(WARNINGS) ?? []) as readonly ProjectProblem[];

/** For a database whose tables are those of the files. */
export function loadWithoutChanges(storage: Storage): readonly Change[] {
  storage.loadNumbers();
  return [];
}

/** Adds to the rows what changed tables need. */
function completeRows(context: DocumentsContext, { needDrafts }: Migration): void {
  if ([...context.model.types.values()].some(({ recordsFirstPublication }) => recordsFirstPublication)) {
    const { fillFirstPublications } =
      require("../../engine/documents/first-publication.ts") as typeof import("../../engine/documents/first-publication.ts");
    fillFirstPublications(context);
  }
  if (needDrafts.length === 0) return;
  const { completeDrafts } =
    require("../../engine/documents/complete-drafts.ts") as typeof import("../../engine/documents/complete-drafts.ts");
  completeDrafts(context, needDrafts, { relinksExisting: true });
}

/** Expects a transaction. Throws a ProjectError if the tables cannot be changed. */
export function changeTables(storage: Storage, context: DocumentsContext, files: CheckedFiles): readonly Change[] {
  // loaded lazily: most starts change nothing
  const { migrate } = require("../../engine/storage/migrate.ts") as typeof import("../../engine/storage/migrate.ts");
  // of existing rows, unless the database has stored one
  const configuredLocale = files.settings.galley.locales?.find(({ isDefault }) => isDefault)?.code;
  const previousLocale = storage.meta(DEFAULT_LOCALE) ?? configuredLocale ?? "en";
  const finish = (migration: Migration): void => completeRows(context, migration);
  const change = () => migrate(storage, createLayout(files.model), previousLocale, finish);
  const isLarge = storage.bytes() >= LARGE_BYTES;
  const { changes } = isLarge ? whileHolding(storage, "changes its tables", change) : change();
  if (storage.meta(CHANGE_LOG) !== undefined) {
    const { recordEverything } =
      require("../../engine/storage/change-log/change-log.ts") as typeof import("../../engine/storage/change-log/change-log.ts");
    // tables alone do not say what is private, or that a type is gone
    recordEverything(storage);
  }
  storage.setMeta(CHECKED, files.fingerprint);
  storage.setMeta(WARNINGS, JSON.stringify(files.warnings));
  return changes;
}

/** In the data folder: shows that there was a database, which a lost or emptied one does not. */
const MARKER = "had-database";

/** Throws a ProjectError for a damaged database. Reports one that was there before and is gone. */
export function checkBeforeUse(folder: string, storage: Storage, hasTables: boolean): void {
  if (hasTables) checkDatabase(storage);
  else if (existsSync(join(folder, MARKER)))
    console.error(
      `galley: ${storage.db.filename} was missing or empty, although this project had content: a new database is created. ` +
        "If that is not intended, stop the server and restore a copy.",
    );
}

/** Expects a database with tables: a start that is refused before leaves none. */
export function rememberDatabase(folder: string): void {
  const marker = join(folder, MARKER);
  if (!existsSync(marker)) writeFileSync(marker, "", { mode: 0o600 });
}
