/** Tools for sessions: what an agent has changed, and how it is undone. */
import { z } from "zod";
import { shortened } from "./answers.ts";
import { type DevelopmentTool, tool } from "./tool.ts";

const name = z.string().min(1).max(80);

export const sessionTools: readonly DevelopmentTool[] = [
  tool({
    name: "session_begin",
    title: "Begin a session",
    description: "Names the changes that follow, so that they can be undone together.",
    input: z.object({ name }).strict(),
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
    input: z.object({}).strict(),
    run: async ({ sessions }) => ({ sessions: shortened(await sessions.list(), "the admin page") }),
  }),
  tool({
    name: "session_undo",
    title: "Undo a session",
    description:
      "Restores content, uploads and files as they were before a session: the last one by default. Later sessions are undone, too. session_list shows what is lost or not restored.",
    input: z.object({ name: name.optional(), discardOthers: z.boolean().optional() }).strict(),
    run: ({ sessions }, args) => sessions.undo(args.name, args.discardOthers === true),
  }),
];
