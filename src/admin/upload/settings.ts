/** `/upload/configuration` and `/upload/settings`: the view of the media library, and the processing of images. */
import { UPLOAD_VIEW_KEY, uploadSettings, uploadView } from "../../engine/access/store-defaults.ts";
import { UPLOAD_SETTINGS_KEY } from "../../engine/media/file-preparer.ts";
import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import { ApiError } from "../../lib/errors.ts";
import { pickBy } from "../../lib/records.ts";
import { checkBody } from "../../lib/shape.ts";
import { flag, objectBody, objectOf, requiredFlag, requiredNumber } from "../body.ts";
import { type AdminRoute, type JsonObject, ok, refusedRoute, route } from "../call.ts";
import type { AdminServices } from "../services.ts";

const SORTS = ["createdAt:DESC", "createdAt:ASC", "name:ASC", "name:DESC", "updatedAt:DESC", "updatedAt:ASC"];

const view = objectOf({
  pageSize: requiredNumber,
  sort: { type: "mixed", strict: true, oneOf: SORTS },
});

const settingsFields = {
  sizeOptimization: requiredFlag,
  responsiveDimensions: requiredFlag,
  autoOrientation: flag,
  aiMetadata: flag,
};

export function uploadSettingsRoutes({ context: { storage } }: AdminServices): AdminRoute[] {
  return [
    route("GET", "/upload/configuration", () => ok({ data: storedValue(storage, UPLOAD_VIEW_KEY) ?? uploadView })),
    route("PUT", "/upload/configuration", async (call) => {
      const data = checkBody(view, await objectBody(call));
      await storage.write(() => setStored(storage, UPLOAD_VIEW_KEY, data));
      return ok({ data });
    }),
    route("GET", "/upload/settings", () =>
      ok({
        data: {
          ...((storedValue(storage, UPLOAD_SETTINGS_KEY) as JsonObject | undefined) ?? uploadSettings),
          concurrentUploadRequests: 1,
        },
      }),
    ),
    route("PUT", "/upload/settings", async (call) => {
      const input = checkBody(objectOf(settingsFields), await objectBody(call));
      const data = pickBy(input, (_, key) => Object.hasOwn(settingsFields, key));
      await storage.write(() => setStored(storage, UPLOAD_SETTINGS_KEY, data));
      return ok({ data });
    }),
  ];
}

/** Descriptions of images by Strapi's AI service, which a server without its licence refuses. */
const ROUTES = [
  ["POST", "/upload/actions/generate-ai-metadata"],
  ["POST", "/upload/ai-metadata-jobs"],
  ["GET", "/upload/ai-metadata-jobs/pending-count"],
] as const;

export const aiRoutes = (): AdminRoute[] =>
  ROUTES.map(([method, path]) =>
    refusedRoute(method, path, () => new ApiError("MissingInputError", "AI Metadata service is not enabled")),
  );
