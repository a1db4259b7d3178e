/** Descriptions of images by Strapi's AI service, which a server without its licence refuses. */
import { ApiError } from "../../lib/errors.ts";
import { type AdminRoute, route } from "../call.ts";

const ROUTES = [
  ["POST", "/upload/actions/generate-ai-metadata"],
  ["POST", "/upload/ai-metadata-jobs"],
  ["GET", "/upload/ai-metadata-jobs/pending-count"],
] as const;

const refuse = (): never => {
  throw new ApiError("MissingInputError", "AI Metadata service is not enabled");
};

export const aiRoutes = (): AdminRoute[] => ROUTES.map(([method, path]) => route(method, path, refuse));
