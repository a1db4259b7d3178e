/** The routes of a project, grouped by area, for any Elysia application. */
import { type Areas, coreAreas } from "./core-areas.ts";
import type { Project } from "./project/project.ts";

export function createAreas(project: Project): Areas {
  const areas = coreAreas(project);
  if (!project.code) return areas;
  const { withProjectCode } = require("./code-front.ts") as typeof import("./code-front.ts");
  return withProjectCode(project, project.code, areas);
}

export type { Areas };
