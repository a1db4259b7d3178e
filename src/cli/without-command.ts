/** `galley` without a command: serves the project that the current folder is in, or offers to create one in an empty folder. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findProject } from "./project-folder.ts";

/** Files that systems and version control leave in otherwise empty folders. */
const isLeftover = (name: string): boolean => name.startsWith(".") || name === "desktop.ini" || name === "Thumbs.db";

export type FirstStep = "serve" | "offer" | "help";

/** `isTerminal`: whether a question can be answered. */
export function chooseFirstStep(folder: string, isTerminal: boolean): FirstStep {
  if (existsSync(join(folder, "metadata.json")) || findProject(folder) !== undefined) return "serve";
  return isTerminal && readdirSync(folder).every(isLeftover) ? "offer" : "help";
}
