/** The tools that exist in development only. */
import { type LazyTool, lazyTool } from "../tool.ts";
import { accessTools } from "./access.ts";
import { expectShort } from "./answers.ts";
import { contentTools } from "./content.ts";
import { explainTools } from "./explain.ts";
import { modelTools } from "./model.ts";
import { requestTools } from "./requests.ts";
import { sessionTools } from "./session-tools.ts";
import type { Workspace } from "./workspace.ts";

const tables = [modelTools, contentTools, accessTools, explainTools, requestTools, sessionTools] as const;

export const developmentTools = (workspace: Workspace): LazyTool[] =>
  tables.flat().map(({ changes, run, ...tool }) =>
    lazyTool(tool.name, () => ({
      ...tool,
      run: (args) => {
        const work = async (): Promise<unknown> => run(workspace, args);
        return changes?.(args)
          ? workspace.sessions.record(tool.name, work)
          : work().then((it) => expectShort(it, false));
      },
    })),
  );
