/** The page behind a proxy that removes a prefix from the paths of requests. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { pixelFile } from "./pixel.ts";

const POST = "api::post.post";
const files = {
  ...typeFile("post", { title: { type: "string" }, cover: { type: "media", multiple: false } }),
  "config/admin.json": JSON.stringify({ url: "/dashboard" }),
};

describe.skipIf(!hasBrowser)("below a prefix", () => {
  let server: AdminServer;
  let browser: Browser;
  let admin: AdminPage;
  let proxy: Bun.Server<undefined>;
  const outside: string[] = [];

  openPage(files, (page) => {
    ({ server, browser } = page);
  });
  beforeAll(async () => {
    proxy = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch: async ({ url, method, headers, body }) => {
        const { pathname, search } = new URL(url);
        if (!pathname.startsWith("/cms/")) {
          outside.push(pathname);
          return new Response(null, { status: 404 });
        }
        const target = server.address + pathname.slice("/cms".length) + search;
        return fetch(target, { method, headers, body, redirect: "manual", decompress: false });
      },
    });
    admin = await AdminPage.open(browser, { address: `${proxy.url.origin}/cms` });
  });
  afterAll(() => proxy.stop(true));

  test("a file is uploaded, chosen, and shown", async () => {
    await admin.goTo("/admin/media");
    await admin.page.getByLabel("Files to upload").setInputFiles([pixelFile("cover.png")]);
    const image = admin.page.locator(".card img");
    await image.waitFor();
    expect(await image.evaluate((element) => Reflect.get(element, "naturalWidth"))).toBe(1);
  });

  test("a document is created, saved, and listed", async () => {
    await admin.goTo(`/admin/content/${POST}/new`);
    await admin.page.getByLabel("Title", { exact: true }).fill("Below");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.getByRole("navigation").getByRole("link", { name: "post" }).first().click();
    const row = admin.page.getByRole("link", { name: "Below" }).first();
    await row.waitFor();
    expect(new URL(admin.page.url()).pathname).toBe(`/cms/admin/content/${POST}`);
    // loaded again, with the rows that the document requests
    await admin.page.reload();
    await row.waitFor();
  });

  test("the file of a document is shown, and links to itself", async () => {
    const posts = server.galley.documents(POST);
    const { documentId } = await posts.create({ data: { title: "With a cover", cover: 1 } });
    await admin.goTo(`/admin/content/${POST}/${documentId}`);
    const link = admin.page.getByRole("link", { name: "cover.png" });
    expect(await link.getAttribute("href")).toStartWith("/cms/uploads/");
  });

  test("the path of the page in config/admin leads to it", async () => {
    await admin.goTo("/dashboard/content-manager");
    await admin.page.getByRole("navigation", { name: "Content and project" }).waitFor();
    expect(new URL(admin.page.url()).pathname).toBe("/cms/admin");
  });

  test("what leads out of the page, such as the address of the API, has the prefix", async () => {
    await admin.page.getByText(`curl "${proxy.url.origin}/cms/api/posts"`).waitFor();
    await admin.page.goto(`${proxy.url.origin}/cms/graphql`);
    await admin.page.locator(".graphiql-container").waitFor();
    await admin.page.goto(`${proxy.url.origin}/cms/docs`);
    await admin.page.locator(".swagger-ui .info").waitFor();
    await admin.page.goto(`${proxy.url.origin}/cms/docs/manual`);
    await admin.page.getByRole("heading").first().waitFor();
  });

  test("who signs out is out", async () => {
    await admin.goTo("/admin");
    await admin.page.getByRole("button", { name: "Sign out" }).click();
    await admin.page.getByText("Sign in").first().waitFor();
    await admin.goTo("/admin/media");
    await admin.page.getByText("Sign in").first().waitFor();
  });

  test("nothing is requested in front of the prefix", () => {
    expect(outside).toEqual([]);
    expect(admin.complaints).toEqual([]);
  });
});
