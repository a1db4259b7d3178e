/** Publishes and unpublishes documents whose time has come. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import { dueEntries, failEntry, type ScheduleEntry, takeEntry } from "../../../engine/documents/schedule.ts";
import { ApiError } from "../../../lib/errors.ts";
import { logError } from "../../../lib/printable.ts";
import { formatProblems } from "../../refusal.ts";
import { Writes } from "../writes.ts";

/** Another process has run the entry, or it was changed. */
class TakenEntry extends Error {
  override readonly name = "TakenEntry";
}

/** In the transaction of the write, so that each entry is run once, whatever processes and crashes there are. */
async function runEntry(context: DocumentsContext, entry: ScheduleEntry): Promise<void> {
  const { contentType, documentId, locale, action } = entry;
  const type = context.model.types.get(contentType);
  const take = (): void => {
    if (!takeEntry(context.storage, entry)) throw new TakenEntry();
  };
  const writes = type?.draftAndPublish ? new Writes(context, type, take) : undefined;
  const status = action === "publish" ? "draft" : "published";
  // what was deleted or unpublished meanwhile is not missed
  if (!writes?.find(documentId, locale ?? undefined, status)) {
    await context.storage.write(() => void takeEntry(context.storage, entry));
    return;
  }
  const body = locale === null ? {} : { locale };
  if (action === "publish") await writes.publish(documentId, body);
  else await writes.unpublish(documentId, body);
}

/** What went wrong, for who scheduled it. */
function formatReason(error: unknown): string {
  if (!(error instanceof ApiError)) return "The server failed: its log has the reason";
  return error.httpStatus >= 500 ? error.message : formatProblems(error);
}

/** A database that is locked, or a full disk: the entry is tried again. */
const isPassing = (error: unknown): boolean => error instanceof ApiError && error.httpStatus > 500;

/** Returns the entries that failed, with the reasons. */
export async function runDue(context: DocumentsContext): Promise<readonly { entry: ScheduleEntry; reason: string }[]> {
  const failed: { entry: ScheduleEntry; reason: string }[] = [];
  for (const entry of dueEntries(context.storage, new Date(context.clock.now()).toISOString())) {
    try {
      await runEntry(context, entry);
    } catch (error) {
      if (error instanceof TakenEntry) continue;
      if (!(error instanceof ApiError)) logError(error);
      const reason = formatReason(error);
      failed.push({ entry, reason });
      if (isPassing(error)) continue;
      await context.storage.write(() => failEntry(context.storage, entry, reason));
    }
  }
  return failed;
}
