/** `/admin/api/schedule`: when a document is published and unpublished. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import {
  type ScheduledAction,
  type ScheduledDocument,
  type ScheduleEntry,
  scheduledActions,
  scheduleOf,
  setSchedule,
} from "../../../engine/documents/schedule.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { filledString } from "../../../lib/coerce.ts";
import { notFound, validationError } from "../../../lib/errors.ts";
import { objectBody } from "../../body.ts";
import { type AdminRoute, ok, route } from "../../call.ts";
import { API_PATH } from "../../session/session.ts";
import { findContentType } from "../input.ts";
import { Writes } from "../writes.ts";

const PATH = `${API_PATH}/schedule`;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

type Times = Readonly<Record<ScheduledAction, string | undefined>>;

/** Undefined for null. Throws a ValidationError for another value than a time of the future. */
function readTime(value: unknown, name: string, now: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  const isTime = typeof value === "string" && ISO_TIME.test(value) && !Number.isNaN(Date.parse(value));
  if (!isTime) throw validationError(`${name} is not a valid ISO time`);
  const at = new Date(value).toISOString();
  if (at <= new Date(now).toISOString()) throw validationError(`${name} must be in the future`);
  return at;
}

function readTimes(body: Readonly<Record<string, unknown>>, now: number): Times {
  const publish = readTime(body.publish, "The time to publish", now);
  const unpublish = readTime(body.unpublish, "The time to unpublish", now);
  if (publish !== undefined && unpublish !== undefined && unpublish <= publish)
    throw validationError("The time to unpublish must be after the time to publish");
  return { publish, unpublish };
}

const shown = (entries: readonly ScheduleEntry[]) => ({
  data: entries.map(({ action, at, problem }) => ({ action, at, problem })),
});

export function scheduleRoutes(context: DocumentsContext): AdminRoute[] {
  const { storage, model } = context;
  /** Throws a NotFoundError if the document does not exist in this locale. */
  const readTarget = (params: Readonly<Record<string, unknown>>, access: "read" | "change") => {
    const type: ContentType = findContentType(model, filledString(params.contentType), access);
    if (!type.draftAndPublish) throw validationError(`${type.uid} has no drafts`);
    const documentId = filledString(params.documentId) ?? "";
    const locale = type.localized ? (filledString(params.locale) ?? context.defaultLocale()) : null;
    if (!new Writes(context, type).find(documentId, locale ?? undefined)) throw notFound();
    return { contentType: type.uid, documentId, locale } satisfies ScheduledDocument;
  };
  return [
    route("GET", PATH, ({ query }) => ok(shown(scheduleOf(storage, readTarget(query(), "read"))))),
    route("PUT", PATH, async (call) => {
      const body = await objectBody(call);
      const target = readTarget(body, "change");
      const times = readTimes(body, context.clock.now());
      await storage.write(() => {
        for (const action of scheduledActions) setSchedule(storage, target, action, times[action]);
      });
      return ok(shown(scheduleOf(storage, target)));
    }),
  ];
}
