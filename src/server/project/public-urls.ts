/** The public URLs of an open project. */
import { ConfigFiles } from "../../engine/config/files.ts";
import { type PublicUrls, readPublicUrls } from "../../engine/config/public-urls.ts";
import { ProjectReport } from "../../lib/errors.ts";
import type { Project } from "./project.ts";

export const projectUrls = ({ root, settings }: Pick<Project, "root" | "settings">): PublicUrls =>
  readPublicUrls(new ConfigFiles(root, settings.environment, new ProjectReport()), settings.server.url);
