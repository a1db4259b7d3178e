/** The events that webhooks of the admin may name, where the project's own code changes them. */
import { expect, test } from "bun:test";
import { projectFolder, typeFile } from "../project.ts";
import { type Ask, openSignedIn } from "./signed-in.ts";

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

let ask: Ask;
openSignedIn(folder, KEY, (opened) => {
  ({ ask } = opened);
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
