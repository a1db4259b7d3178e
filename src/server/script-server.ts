/** Opens a project for a script that calls `createStrapi()` of `@strapi/strapi`. */
import type { Environment } from "../engine/config/env.ts";
import { createApp } from "./app.ts";
import { embed } from "./embedded.ts";

/** Runs a script with the `strapi` of a project. Rejects with a ProjectError if the project cannot be served. */
export async function serveScript(root: string, file: string, environment: Environment): Promise<void> {
  const options = { memory: false, publicRead: false, environment, needsStrapi: true };
  const { close } = await embed(root, options, createApp);
  const { provideToScript } = require("../strapi/packages/strapi.ts") as typeof import("../strapi/packages/strapi.ts");
  const { runScript } = require("../strapi/loader/load-script.ts") as typeof import("../strapi/loader/load-script.ts");
  const { strapi } = globalThis as unknown as { readonly strapi: object };
  provideToScript({ strapi, close });
  // most scripts go on after they are loaded, and exit or close the project by themselves
  process.once("beforeExit", () => void close());
  try {
    await runScript(root, file, strapi);
  } catch (error) {
    await close();
    throw error;
  }
}
