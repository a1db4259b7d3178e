/** The tools that exist in development only. */
import { z } from "zod";
import { inTime, type LazyTool, lazyTool } from "../tool.ts";
import { accessTools } from "./access.ts";
import { expectShort, shortened } from "./answers.ts";
import { contentTools } from "./content.ts";
import { explainTools } from "./explain.ts";
import { modelTools } from "./model.ts";
import { requestTools } from "./requests.ts";
import { type DevelopmentTool, tool } from "./tool.ts";
import { uploadTools } from "./uploads.ts";
import type { Workspace } from "./workspace.ts";

const name = z.string().min(1).max(80);

/** Tools for sessions: what an agent has changed, and how it is undone. */
const sessionTools: readonly DevelopmentTool[] = [
  tool({
    name: "session_begin",
    title: "Begin a session",
    description: "Names the changes that follow, so that they can be undone together.",
    input: z.strictObject({ name }),
    waits: true,
    run: async ({ sessions }, args) => {
      await sessions.begin(args.name);
      return { begun: args.name };
    },
  }),
  tool({
    name: "session_list",
    title: "List sessions",
    description:
      "Lists sessions that can be undone, oldest first: their changes and files, what others may have changed since, and which files of upload providers would not be restored.",
    input: z.strictObject({}),
    run: async ({ sessions }) => ({ sessions: shortened(await sessions.list(), "the admin page") }),
  }),
  tool({
    name: "session_undo",
    title: "Undo a session",
    description:
      "Restores content, uploads and files as they were before a session: the last one by default. Later sessions are undone, too. session_list shows what is lost or not restored.",
    input: z.strictObject({ name: name.optional(), discardOthers: z.boolean().optional() }),
    waits: true,
    changesTools: true,
    run: ({ sessions }, args) => sessions.undo(args.name, args.discardOthers === true),
  }),
];

const tables = [modelTools, contentTools, uploadTools, accessTools, explainTools, requestTools, sessionTools] as const;

export const developmentTools = (workspace: Workspace): LazyTool[] =>
  tables.flat().map(({ changes, changesTools, waits, run, ...tool }) =>
    lazyTool(tool.name, () => ({
      ...tool,
      run: (args, { mcpReq }) => {
        const work = async (): Promise<unknown> => {
          const result = await run(workspace, args);
          if (changesTools) await mcpReq.notify({ method: "notifications/tools/list_changed" });
          return result;
        };
        if (changes?.(args)) return workspace.sessions.record(tool.name, mcpReq.signal, work);
        const { timeoutMs } = workspace.project.settings.server.mcp;
        const running = waits ? work() : inTime(tool.name, timeoutMs, work);
        return running.then((it) => expectShort(it, false));
      },
    })),
  );
