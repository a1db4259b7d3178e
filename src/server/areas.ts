/** What a project serves, area by area, as routes that any Elysia application can take. */
import { type Areas, ownAreas } from "./own-areas.ts";
import type { Project } from "./project.ts";

export function createAreas(project: Project): Areas {
  const areas = ownAreas(project);
  if (!project.code) return areas;
  const { behindCode } = require("./code-front.ts") as typeof import("./code-front.ts");
  return behindCode(project, project.code, areas);
}

export type { Areas };
