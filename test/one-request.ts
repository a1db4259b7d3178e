/** Starts a project and sends at most one request, for `executed-files.test.ts`, which counts what it runs. */
import { expect, setSystemTime, test } from "bun:test";
import { configFile, testApp, typeFile } from "./project.ts";

const files = {
  ...typeFile("note", { title: { type: "string" } }),
  ...configFile({ roles: { public: ["api::note.note.find"] } }),
};

// how often lines of the clock are executed depends on the time
setSystemTime(new Date("2026-01-01T00:00:00.000Z"));

test("a project starts, and responds", async () => {
  await using app = await testApp(files);
  const { REQUEST } = process.env;
  if (REQUEST === "list") expect((await app.call("GET", "/api/notes", undefined, {})).status).toBe(200);
  if (REQUEST === "create") expect((await app.call("POST", "/api/notes", { data: { title: "One" } })).status).toBe(201);
});
