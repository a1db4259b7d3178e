/** What `galley` alone does: serves the project it is called in, or offers one where there is nothing yet. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Files that no project begins with, and that systems and version control leave in empty folders. */
const isLeftover = (name: string): boolean => name.startsWith(".") || name === "desktop.ini" || name === "Thumbs.db";

export type FirstStep = "serve" | "offer" | "help";

/** `isTerminal`: somebody can answer a question. */
export function firstStep(folder: string, isTerminal: boolean): FirstStep {
  if (existsSync(join(folder, "src/api")) || existsSync(join(folder, "metadata.json"))) return "serve";
  return isTerminal && readdirSync(folder).every(isLeftover) ? "offer" : "help";
}
