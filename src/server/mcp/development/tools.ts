/** The tools that exist in development only. */
import type { z } from "zod";
import type { LazyTool } from "../tool.ts";
import { lazyTool } from "../tool.ts";
import { accessTools } from "./access.ts";
import { contentTools } from "./content.ts";
import { explainTools } from "./explain.ts";
import { modelTools } from "./model.ts";
import { requestTools } from "./requests.ts";
import { sessionTools } from "./session-tools.ts";
import type { DevelopmentTool } from "./tool.ts";
import type { Workspace } from "./workspace.ts";

const tables = [modelTools, contentTools, accessTools, explainTools, requestTools, sessionTools] as const;

export const developmentTools = (workspace: Workspace): LazyTool[] =>
  tables.flat().map((tool: DevelopmentTool) =>
    lazyTool(tool.name, () => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      input: tool.input,
      run: (args) => {
        const work = async (): Promise<unknown> => tool.run(workspace, args as z.infer<typeof tool.input>);
        return tool.changes?.(args) ? workspace.sessions.record(`${tool.name}`, work) : work();
      },
    })),
  );
