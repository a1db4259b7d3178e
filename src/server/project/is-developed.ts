/** Whether the tools of development may be served. */
import type { Project } from "./project.ts";

export const isDeveloped = ({ settings }: Pick<Project, "settings">): boolean =>
  settings.environment.NODE_ENV !== "production";
