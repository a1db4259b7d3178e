/** A site is previewed beside the form: what Strapi's front ends say and hear, in both directions. */
import { afterAll, describe, expect, test } from "bun:test";
import type { FrameLocator } from "playwright-core";
import { median } from "../../../scripts/bench/median.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { EVERYTHING, files } from "./everything.ts";

/** How many the delay of keys is measured with. */
const KEYS = 15;

let address = "";
/** Parameters of the previewed URL. */
const previewWith = (params: string): void => void Object.assign(globalThis, { previewedWith: params });
previewWith("");

/** As front ends of Strapi do it: reads with source maps, adds the script that it is sent, reads again when it is told to. */
const LISTENER = `addEventListener("message", ({ origin, data }) => {
  if (origin !== ADDRESS) return;
  if (data.type === "strapiUpdate") location.reload();
  if (data.type !== "strapiScript") return;
  const script = document.createElement("script");
  script.textContent = data.payload.script;
  document.head.append(script);
});
addEventListener("strapiFieldChange", ({ detail }) => { document.title = JSON.stringify(detail); });
parent.postMessage({ type: "previewReady" }, "*");`;

async function render(url: URL): Promise<string> {
  const [id, status] = ["id", "status"].map((name) => url.searchParams.get(name));
  const response = await fetch(`${address}/api/everythings/${id}?status=${status}&populate=*`, {
    headers: { "strapi-encode-source-maps": "true" },
  });
  const { data } = (await response.json()) as {
    data?: { title?: string; summary?: string; quotes?: { text: string }[]; body?: { children: { text: string }[] }[] };
  };
  const quotes = (data?.quotes ?? []).map(({ text }) => `<li>${text}</li>`).join("");
  const blocks = (data?.body ?? []).map(({ children }) => `<p>${children[0]?.text}</p>`).join("");
  const script = url.searchParams.has("silent")
    ? ""
    : `<script>${LISTENER.replace("ADDRESS", JSON.stringify(address))}</script>`;
  // elements that React takes over have a key
  const react = url.searchParams.has("react")
    ? `<script>document.__reactContainer$x = 1; addEventListener("takeover", () => { document.querySelector("h1").__reactFiber$x = 1; });</script>`
    : "";
  return `<!doctype html><title>${data?.title}</title>${react}<script type="text/plain">${data?.title}</script><h1>${data?.title}</h1><a href="#there">${data?.summary}</a><ul>${quotes}</ul>${blocks}${script}`;
}

const site = Bun.serve({
  port: 0,
  fetch: async (request) =>
    new Response(await render(new URL(request.url)), { headers: { "content-type": "text/html; charset=utf-8" } }),
});
afterAll(() => site.stop(true));
const origin = `http://localhost:${site.port}`;

const project = {
  ...files,
  "config/galley.json": JSON.stringify({
    ...JSON.parse(files["config/galley.json"]),
    roles: { public: [`${EVERYTHING}.findOne`] },
    admin: { sites: { "api::tag.tag": "https://site.example/tags/{name}" } },
  }),
  "config/admin.js": `module.exports = {
    preview: {
      enabled: true,
      config: {
        allowedOrigins: [${JSON.stringify(origin)}],
        handler: (uid, { documentId, status }) =>
          uid === ${JSON.stringify(EVERYTHING)} ? ${JSON.stringify(origin)} + "/?id=" + documentId + "&status=" + status + globalThis.previewedWith : undefined,
      },
    },
  };`,
};

describe.skipIf(!hasBrowser)("a previewed site", () => {
  let server: AdminServer;
  let admin: AdminPage;
  openPage(project, (page) => {
    ({ server, admin } = page);
    address = server.address;
  });

  const frame = (): FrameLocator => admin.page.frameLocator(".preview-frame");
  const field = (label: string) => admin.page.getByLabel(new RegExp(`^${label}\\*?$`)).first();
  const make = async (data: Record<string, unknown>, status: "draft" | "published" = "draft"): Promise<string> =>
    (await server.galley.documents(EVERYTHING).create({ data, status })).documentId as string;
  const open = async (id: string): Promise<void> => {
    await admin.visit(`/admin/content/${EVERYTHING}/${id}?preview=open`);
    await frame().locator("h1[data-strapi-source]").waitFor();
  };
  const siteFrame = () => admin.page.frames().find((item) => item.url().startsWith(origin))!;
  /** Waits until an expression holds in the site. */
  const inSite = (expression: string) => siteFrame().waitForFunction(expression);
  const hasFocus = (label: string) => field(label).and(admin.page.locator(":focus")).waitFor();

  test("what is typed is in the pane before it is saved, and what is saved is read again", async () => {
    await open(await make({ title: "Fog", slug: "fog", summary: "Over the river" }));
    await field("Title").fill("Fog at dawn");
    await frame().getByRole("heading", { name: "Fog at dawn" }).waitFor();
    await field("Summary").fill("Over the hills");
    await frame().getByText("Over the hills").waitFor();
    await admin.press("Control+s");
    await admin.message("Saved");
    await frame().locator("h1[data-strapi-source]").getByText("Fog at dawn").waitFor();
    expect(admin.complaints).toEqual([]);
  });

  /** Milliseconds from each of some keys to the change of the site that it leads to: the one in the middle. */
  const delayOfKeys = async (observe: string): Promise<number> => {
    await inSite(
      `globalThis.changedAt = 0; (${observe})(() => { changedAt = performance.timeOrigin + performance.now(); }); true`,
    );
    await admin.page.evaluate(
      'addEventListener("keydown", () => { globalThis.pressedAt = performance.timeOrigin + performance.now(); }, { capture: true })',
    );
    const delays: number[] = [];
    for (let key = 0; key < KEYS; key++) {
      await admin.page.keyboard.press("a");
      const pressedAt = (await admin.page.evaluate("pressedAt")) as number;
      await inSite(`changedAt > ${pressedAt}`);
      delays.push((await siteFrame().evaluate<number>("changedAt")) - pressedAt);
    }
    return median(delays);
  };

  test("a key is in the pane after at most 300 ms", async () => {
    const body = [{ type: "paragraph", children: [{ type: "text", text: "Rain" }] }];
    await open(await make({ title: "Drizzle", slug: "drizzle", body }));
    await field("Title").focus();
    const onText = `(changed) => new MutationObserver(changed).observe(document.querySelector("h1"), { characterData: true, childList: true, subtree: true })`;
    expect(await delayOfKeys(onText)).toBeLessThanOrEqual(300);
    await admin.page.getByRole("textbox", { name: "Body" }).click();
    expect(await delayOfKeys('(changed) => addEventListener("strapiFieldChange", changed)')).toBeLessThanOrEqual(300);
  }, 180_000);

  test("a click leads to the field, also in a folded entry; a click on a link goes there, a second one to its field", async () => {
    const quotes = ["One", "Two", "Three", "Four"].map((text) => ({ text }));
    await open(await make({ title: "Clicks", slug: "clicks", summary: "A link", quotes }));
    await frame().getByRole("heading").click();
    await hasFocus("Title");
    await frame().getByText("Three").click();
    await admin.page.locator(":focus").and(admin.page.getByLabel(/^Text/)).waitFor();
    expect(await admin.page.locator(":focus").inputValue()).toBe("Three");
    await frame().locator("[data-strapi-focused]", { hasText: "Three" }).waitFor();
    await frame().getByText("A link").dblclick();
    await hasFocus("Summary");
    await frame().getByText("A link").click();
    await inSite('location.hash === "#there"');
  });

  test("messages of others are ignored", async () => {
    const id = await make({ title: "Others", slug: "others" });
    await open(id);
    await field("Slug").focus();
    const payload = { path: `documentId=${id}&type=string&path=title&model=${EVERYTHING}` };
    await admin.page.evaluate(
      `postMessage(${JSON.stringify({ type: "strapiFieldFocusIntent", payload })}, location.origin)`,
    );
    await admin.press("a");
    await hasFocus("Slug");
  });

  test("a text of a document that cannot be opened here is a problem", async () => {
    await open(await make({ title: "Gone", slug: "gone" }));
    const payload = { path: `documentId=${"a".repeat(24)}&type=string&path=title&model=api::gone.gone` };
    await inSite(
      `parent.postMessage(${JSON.stringify({ type: "strapiFieldFocusIntent", payload })}, ${JSON.stringify(server.address)}) ?? true`,
    );
    await admin.page.locator(".toast-problem").getByText("This text is part of another document").waitFor();
    expect(await admin.page.locator(".toast-done").count()).toBe(0);
  });

  test("blocks are handed to the site", async () => {
    await open(await make({ title: "Blocks", slug: "blocks" }));
    await admin.page.getByRole("textbox", { name: "Body" }).click();
    await admin.page.keyboard.type("Hail");
    await inSite(`document.title.includes('"field":"body"') && document.title.includes('"text":"Hail"')`);
  });

  test("a click on a text of an editor leads into it", async () => {
    const body = [{ type: "paragraph", children: [{ type: "text", text: "Sleet" }] }];
    await open(await make({ title: "Editors", slug: "editors", body }));
    await admin.page.getByRole("textbox", { name: "Body" }).waitFor();
    await frame().locator("p[data-strapi-source]").click();
    await admin.page.getByRole("textbox", { name: "Body" }).and(admin.page.locator(":focus")).waitFor();
  });

  test("what is unsaved is in a site that is loaded later, and again in a part that it renders again", async () => {
    const id = await make({ title: "Later", slug: "later", summary: "Saved" });
    await admin.visit(`/admin/content/${EVERYTHING}/${id}`);
    await field("Summary").fill("Unsaved");
    await admin.page.getByText("Preview", { exact: true }).click();
    await frame().getByText("Unsaved").waitFor();
    await field("Summary").fill("Unsaved, still");
    await frame().getByText("Unsaved, still").waitFor();
    const rendered = await (await fetch(`${origin}/?id=${id}&status=draft&silent`)).text();
    const again = /<a href="#there">(.*?)<\/a>/.exec(rendered)![1]!;
    await inSite(`document.querySelector("a").replaceChildren(${JSON.stringify(again)}) ?? true`);
    await frame().getByText("Unsaved, still").waitFor();
  });

  test("a published version does not follow the form", async () => {
    await open(await make({ title: "Apart", slug: "apart" }, "published"));
    await admin.page.getByRole("button", { name: "Published", exact: true }).click();
    await inSite('location.search.includes("published") && document.querySelector("h1[data-strapi-source]")');
    await field("Title").fill("Apart, changed");
    await admin.page.waitForTimeout(300);
    expect(await frame().getByRole("heading").textContent()).toBe("Apart");
  });

  test("what React has not taken over yet is left as it was rendered; what is not shown is no place of a field", async () => {
    previewWith("&react");
    try {
      const id = await make({ title: "Taken over", slug: "taken-over" });
      await admin.visit(`/admin/content/${EVERYTHING}/${id}?preview=open`);
      await frame().locator("head style").waitFor({ state: "attached" });
      expect(await frame().getByRole("heading").textContent()).toContain("\u200B");
      await inSite('dispatchEvent(new Event("takeover"))');
      await frame().locator("h1[data-strapi-source]").waitFor();
      expect(await frame().getByRole("heading").textContent()).toBe("Taken over");
      await inSite('document.title === "Taken over"');
      expect(await frame().locator("title[data-strapi-source], script[data-strapi-source]").count()).toBe(0);
    } finally {
      previewWith("");
    }
  }, 180_000);

  test("a site that does not listen is loaded again after saving", async () => {
    const id = await make({ title: "Silent", slug: "silent" });
    await admin.visit(`/admin/content/${EVERYTHING}/${id}?preview=open`);
    await frame()
      .getByRole("heading", { name: /^Silent/ })
      .waitFor();
    await field("Title").fill("Silent, still");
    await admin.press("Control+s");
    await frame()
      .getByRole("heading", { name: /^Silent, still/ })
      .waitFor();
  });

  test("the published version, the telephone's width, closing; without violations of axe", async () => {
    await open(await make({ title: "Versions", slug: "versions" }, "published"));
    await field("Title").fill("Versions, changed");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.getByRole("button", { name: "Published", exact: true }).click();
    await frame().getByRole("heading", { name: "Versions", exact: true }).waitFor();
    const head = admin.page.locator(".edit-head");
    const navigation = admin.page.getByRole("navigation", { name: "Content and project" });
    for (const width of [1024, 1440]) {
      await admin.page.setViewportSize({ width, height: 800 });
      // in one line, with room for the form: where the window is not wide enough for both, the navigation is away
      expect([width, (await head.boundingBox())!.height < 60, await navigation.isVisible()]).toEqual([
        width,
        true,
        width === 1440,
      ]);
    }
    await admin.page.setViewportSize({ width: 1280, height: 800 });
    await admin.page.getByRole("button", { name: "Phone" }).click();
    expect((await admin.page.locator(".preview-frame").boundingBox())?.width).toBe(375);
    expect(await findProblems(admin.page)).toEqual([]);
    await admin.page.getByRole("button", { name: "Close the preview" }).click();
    expect(await admin.page.locator(".preview-frame").count()).toBe(0);
    await admin.page.setViewportSize({ width: 390, height: 800 });
    await admin.page.locator(".edit-preview button").waitFor();
    expect((await head.boundingBox())!.height).toBeLessThan(60);
    await admin.page.setViewportSize({ width: 1280, height: 800 });
  });

  test("a type with a URL pattern only has a link", async () => {
    const { documentId } = await server.galley.documents("api::tag.tag").create({ data: { name: "red & blue" } });
    await admin.visit(`/admin/content/api::tag.tag/${documentId}`);
    const link = admin.page.getByRole("link", { name: "View on site" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe("https://site.example/tags/red%20%26%20blue");
  });
});
