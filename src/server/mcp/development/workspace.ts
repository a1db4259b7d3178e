/** What the tools of development use. */
import type { AdminServices } from "../../../admin/services.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { notFound } from "../../../lib/errors.ts";
import type { createExplainer } from "../../explain/routes.ts";
import type { Project } from "../../project/project.ts";
import type { AgentSessions } from "./sessions.ts";

export interface Workspace {
  readonly project: Project;
  readonly services: AdminServices;
  readonly explain: ReturnType<typeof createExplainer>;
  readonly sessions: AgentSessions;
}

/** Throws a NotFoundError that names what there is. */
export function findType({ model }: Project, name: string): ContentType {
  const type = model.types.get(name);
  if (type && !type.plugin) return type;
  const names = [...model.types.values()].filter(({ plugin }) => !plugin).map((item) => item.uid);
  throw notFound(`There is no content-type ${name}: the project has ${names.join(", ") || "none yet"}`);
}
