/** The events that webhooks of the admin may name, where the project's own code changes them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { projectFolder, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const KEY = "a key for tests of events";
const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" } }),
  "src/index.js": `module.exports = {
    bootstrap({ strapi }) {
      strapi.get("webhookStore").addAllowedEvent("SHOP_OPEN", "shop.open");
      strapi.get("webhookStore").removeAllowedEvent("MEDIA_DELETE");
    },
  };`,
});

let galley: Galley;
let ask: ReturnType<typeof askAs>;
beforeAll(async () => {
  galley = await createGalley({ project: folder.root, admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
  ask = askAs(galley, await signedIn(galley, KEY));
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

test.each([
  ["shop.open", 201],
  ["entry.draft-discard", 201],
  ["media.delete", 400],
  ["releases.publish", 400],
])("%s: %d", async (event, status) => {
  const webhook = { name: event, url: "https://example.com", headers: {}, events: [event] };
  const response = await ask("POST", "/admin/webhooks", webhook);
  expect(response.status).toBe(status);
  if (status === 400) expect(response.body.error.message).toBe(`Webhook event ${event} is not supported`);
});
