/** Opens a project for a prompt in a terminal. */
import { start } from "node:repl";
import type { Environment } from "../engine/config/env.ts";
import { createApp } from "./app.ts";
import { embed } from "./embedded.ts";

/** Resolves when the user leaves the prompt. Rejects with a ProjectError if the project cannot be served. */
export async function serveConsole(root: string, environment: Environment, historyFile: string): Promise<void> {
  const options = { memory: false, publicRead: false, environment, needsStrapi: true };
  const { close, documents } = await embed(root, options, createApp);
  try {
    const prompt = start({ prompt: "galley> ", useGlobal: true });
    Object.assign(prompt.context, { documents });
    // a prompt without a history is better than none
    prompt.setupHistory(historyFile, () => {});
    await new Promise<void>((resolve) => prompt.once("exit", resolve));
  } finally {
    await close();
  }
}
