/** Starts a project and sends at most one request, for `executed-files.test.ts`, which counts what it runs. */
import { expect, setSystemTime, test } from "bun:test";
import { createApp } from "../src/server/app.ts";
import { embed } from "../src/server/embedded.ts";
import { configFile, projectFolder, typeFile } from "./project.ts";

const files = {
  ...typeFile("note", { title: { type: "string" } }),
  ...configFile({ roles: { public: ["api::note.note.find", "api::note.note.create"] } }),
};

// how often lines of the clock are executed depends on the time
setSystemTime(new Date("2026-01-01T00:00:00.000Z"));

// not by `createGalley`, which records requests for tests
test("a project starts, and responds", async () => {
  const { root, remove } = projectFolder(files);
  const options = { memory: true, publicRead: false, environment: {} };
  const { served, close } = await embed(root, options, createApp);
  // the routes are a part of the start
  const app = served();
  const send = async (method: string, body?: object): Promise<number> => {
    const init = body ? { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } } : {};
    return (await app.handle(new Request("http://localhost/api/notes", { method, ...init }))).status;
  };
  const { REQUEST } = process.env;
  if (REQUEST === "list") expect(await send("GET")).toBe(200);
  if (REQUEST === "create") expect(await send("POST", { data: { title: "One" } })).toBe(201);
  await close();
  remove();
});
