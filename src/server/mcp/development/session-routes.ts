/** The routes of the page "Agents". */
import { requiredBody } from "../../../admin/body.ts";
import { type AdminRoute, ok, route } from "../../../admin/call.ts";
import { API_PATH } from "../../../admin/session/session.ts";
import { forbidden, validationError } from "../../../lib/errors.ts";
import { once } from "../../../lib/once.ts";
import type { AgentSession } from "../../../ui/agents/agent-session.ts";
import { isDeveloped } from "../../project/admin-services.ts";
import type { Project } from "../../project/project.ts";

export function agentSessionRoutes(project: Project): AdminRoute[] {
  const sessions = once(() => {
    const { AgentSessions } = require("./sessions.ts") as typeof import("./sessions.ts");
    return new AgentSessions(project);
  });
  return [
    route("GET", `${API_PATH}/agent-sessions`, async () => {
      const data: readonly AgentSession[] = isDeveloped(project) ? (await sessions().list()).toReversed() : [];
      return ok({ data });
    }),
    route("POST", `${API_PATH}/agent-sessions/restore`, async (call) => {
      const { id, discardOthers } = await requiredBody(call);
      if (!isDeveloped(project)) throw forbidden("Sessions are not restored in production");
      if (typeof id !== "number") throw validationError("id must be a number");
      return ok({ data: await sessions().undo(id, discardOthers === true) });
    }),
  ];
}
