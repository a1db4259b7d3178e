/** The tool `log`, in development: writes a line to the server's log. */
import { z } from "zod";
import type { Project } from "../project/project.ts";
import type { McpTool } from "./tool.ts";

const MAX_LENGTH = 10 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they could forge lines of the log
const UNPRINTABLE = /\x1B\[[0-9;]*[A-Za-z]|[\x00-\x1F\x7F-\x9F]/g;

const input = z.object({
  message: z.string(),
  level: z.enum(["info", "http", "warn", "error", "log"]).default("info"),
});
const output = z.object({ status: z.string(), message: z.string(), level: z.string(), timestamp: z.string() });

export const logTool = ({ announce }: Project): McpTool => ({
  name: "log",
  title: "Strapi Log",
  description: "Writes a message to the server's log",
  input,
  output,
  run: (args) => {
    const { message, level } = args as z.infer<typeof input>;
    const cut = message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}...[truncated]` : message;
    const line = cut.replace(UNPRINTABLE, "").trim();
    announce?.(`${level === "log" ? "info" : level}: [MCP] ${line}`);
    return { status: "logged", message: line, level, timestamp: new Date().toISOString() };
  },
});
