/** The media library in a browser: folders, uploads, what is said of a file, where it is used, and the keyboard. */
import { describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { selectOption } from "../../ui/select-option.ts";
import { until } from "../../until.ts";
import { AdminPage, type AdminServer, openPage } from "./admin-page.ts";
import { PIXEL, pixelFile } from "./pixel.ts";

const POST = "api::post.post";
const files = typeFile("post", { title: { type: "string" }, cover: { type: "media", multiple: false } });

describe.skipIf(!hasBrowser)("the media library", () => {
  let server: AdminServer;
  let browser: Browser;
  let admin: AdminPage;

  openPage(files, (page) => {
    ({ server, browser, admin } = page);
  });

  const button = (name: string) => admin.page.getByRole("button", { name, exact: true });
  const card = (name: string) => admin.page.locator(".card", { hasText: name });
  const open = async (search = ""): Promise<void> => {
    await admin.visit(`/admin/media${search}`);
    await button("New folder").waitFor();
  };
  /** Drops or pastes a text file, as the browser does for what another program holds. */
  const bring = (kind: "drop" | "paste", name: string): Promise<unknown> =>
    admin.page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(name)}], ${JSON.stringify(name)}, { type: "text/plain" }));
      const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
      const event = ${kind === "drop" ? "new DragEvent('drop', init)" : "new ClipboardEvent('paste', init)"};
      document.querySelector(".media-page").dispatchEvent(event);
    }`);

  test("files go into the folder that is open, by button, drop and paste", async () => {
    await open();
    await button("New folder").click();
    await admin.page.getByLabel("Name").fill("Covers");
    await admin.press("Enter");
    await card("Covers").getByRole("link").click();
    await admin.page.getByRole("heading", { name: "Covers" }).waitFor();
    await admin.page.getByLabel("Files to upload").setInputFiles([pixelFile("one.png"), pixelFile("two.png")]);
    await card("one.png").waitFor();
    await card("two.png").waitFor();
    await bring("drop", "dropped.txt");
    await card("dropped.txt").waitFor();
    await bring("paste", "pasted.txt");
    await card("pasted.txt").waitFor();
    expect(await admin.page.locator(".file-card").count()).toBe(4);
    await open();
    await card("4 files").waitFor();
    expect(await admin.page.locator(".file-card").count()).toBe(0);
  });

  test("what has not come has its place; a folder is empty once its files and folders are known", async () => {
    const waiting = admin.page.locator(".file-grid[aria-hidden] .skeleton");
    const empty = admin.page.getByText("Nothing here yet");
    const [files, folders] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const delayed = [
      ["**/upload/files?*", files, { results: [], pagination: { total: 0, pageCount: 0 } }],
      ["**/upload/folders?*", folders, { data: [] }],
    ] as const;
    for (const [requests, { promise }, json] of delayed)
      await admin.page.route(requests, async (route) => {
        await promise;
        await route.fulfill({ json });
      });
    await admin.page.goto(`${server.address}/admin/media`, { waitUntil: "commit" });
    await waiting.first().waitFor();
    const { width, height } = (await waiting.first().boundingBox())!;
    expect([await waiting.count(), Math.round(height - width)]).toEqual([8, 0]);
    files.resolve();
    await admin.page.getByText("0 files").waitFor();
    expect([await waiting.count(), await empty.count()]).toEqual([8, 0]);
    folders.resolve();
    await empty.waitFor();
    expect(await waiting.count()).toBe(0);
    for (const [requests] of delayed) await admin.page.unroute(requests);
    await admin.page.route("**/upload/files?*", (route) => route.fulfill({ status: 500, json: {} }));
    await admin.page.goto(`${server.address}/admin/media`);
    await admin.page.locator(".page-problem").filter({ hasText: /./ }).waitFor();
    expect(await waiting.count()).toBe(0);
    await admin.page.unroute("**/upload/files?*");
    expect(admin.complaints.splice(0)).toEqual([expect.stringContaining("500")]);
  });

  test("a refused file says why, and the others are uploaded", async () => {
    await open();
    await admin.page
      .getByLabel("Files to upload")
      .setInputFiles([
        { name: "broken.png", mimeType: "image/png", buffer: PIXEL.subarray(0, 40) },
        pixelFile("good.png"),
      ]);
    await card("good.png").waitFor();
    await admin.page.locator(".uploads .field-problem").waitFor();
    await button("Clear").click();
    await admin.page.locator(".uploads").waitFor({ state: "detached" });
  });

  test("an upload that failed is tried again", async () => {
    await open();
    let sent = 0;
    const error = { status: 507, name: "InsufficientStorageError", message: "There is no space left on the disk" };
    await admin.page.route("**/admin/api/upload", (route) =>
      ++sent === 1 ? route.fulfill({ status: 507, json: { data: null, error } }) : route.continue(),
    );
    await admin.page.getByLabel("Files to upload").setInputFiles([pixelFile("second-try.png")]);
    await admin.page.locator(".uploads").getByText(error.message).waitFor();
    await button("Try again").click();
    await card("second-try.png").waitFor();
    await admin.page.locator(".uploads").waitFor({ state: "detached" });
    await admin.page.unroute("**/admin/api/upload");
    expect(sent).toBe(2);
    expect(admin.complaints.splice(0)).toEqual([expect.stringContaining("507")]);
  });

  test("a page behind the last one leads to the last", async () => {
    await admin.visit("/admin/media?q=good&page=7");
    await admin.page.locator(".file-card").first().waitFor();
    expect(new URL(admin.page.url()).searchParams.has("page")).toBe(false);
  });

  test("texts and the focal point are saved, and are there again", async () => {
    await open();
    await card("good.png").getByRole("link").click();
    await admin.page.getByLabel("Alternative text").fill("A pixel");
    await admin.page.getByLabel("Caption").fill("Very small");
    await admin.page.getByRole("button", { name: /^Focal point/ }).focus();
    await admin.press("ArrowRight", "Shift+ArrowUp");
    // a link or the browser's history closes it without a question
    await admin.page.goBack();
    await admin.page.getByRole("dialog").waitFor({ state: "detached" });
    await admin.page.goForward();
    await admin.page.getByText("51 % from the left, 40 % from the top").waitFor();
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.reload();
    await admin.page.getByText("51 % from the left, 40 % from the top").waitFor();
    expect(await admin.page.getByLabel("Alternative text").inputValue()).toBe("A pixel");
    expect(await admin.page.getByLabel("Caption").inputValue()).toBe("Very small");
  }, 20_000);

  test("a file leads to the documents that use it, and keeps its URL when it is replaced", async () => {
    await open("?q=good");
    await card("good.png").getByRole("link").click();
    const id = Number(new URL(admin.page.url()).searchParams.get("file"));
    await admin.page.getByText("No document uses this file.").waitFor();
    await server.galley.documents(POST).create({ data: { title: "Front page", cover: id } });
    await admin.page.reload();
    await admin.page.getByRole("link", { name: "Front page" }).waitFor();
    const url = await admin.page.getByRole("link", { name: "Open" }).getAttribute("href");
    await admin.page.getByLabel("Caption").fill("Typed and not saved");
    const shown = await admin.page.locator(".focal-image img").getAttribute("src");
    const listed = await card("good.png").locator("img").getAttribute("src");
    expect(await admin.page.getByLabel("Replacement file").getAttribute("accept")).toBe("image/*");
    await admin.page.getByLabel("Replacement file").setInputFiles(pixelFile("other.png"));
    await admin.message("Uploaded other.png");
    await admin.page.locator(`.focal-image img:not([src="${shown}"])`).waitFor();
    await card("good.png").locator(`img:not([src="${listed}"])`).waitFor();
    expect(await admin.page.getByLabel("Caption").inputValue()).toBe("Typed and not saved");
    expect(await admin.page.getByRole("link", { name: "Open" }).getAttribute("href")).toBe(url);
    await admin.page.getByRole("link", { name: "Front page" }).click();
    await admin.page.getByLabel("Title", { exact: false }).first().waitFor();
  });

  test("unused files are found, also behind a link", async () => {
    await open();
    await button("Unused files").click();
    await card("good.png").waitFor({ state: "detached" });
    await card("one.png").waitFor();
    expect(admin.page.url()).toContain("show=unused");
  });

  test("the keyboard alone goes through the cards, selects, moves and deletes", async () => {
    await open();
    await card("Covers").getByRole("link").focus();
    await admin.press("ArrowDown", " ");
    await admin.page.getByText("1 file selected").waitFor();
    await button("Move").focus();
    await admin.press("Enter");
    await admin.page.locator("dialog[open] :focus").and(admin.page.getByLabel("Destination folder")).waitFor();
    await selectOption(admin.page.getByLabel("Destination folder"), "\u00a0\u00a0\u00a0Covers");
    await admin.page.getByRole("dialog").getByRole("button", { name: "Move", exact: true }).press("Enter");
    await admin.message("Moved");
    await open("?q=.png");
    await admin.page.getByText("4 files").waitFor();
    for (const name of ["one.png", "two.png"]) await admin.page.getByLabel(`Select ${name}`).press(" ");
    await button("Delete").press("Enter");
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
    await admin.message("Deleted 2 files");
    await admin.page.getByText("2 files", { exact: true }).waitFor();
  });

  test("many are selected at once: a range with Shift, a page with Ctrl+A; the next page begins at its top", async () => {
    const names = [...Array(60).keys()].map((number) => pixelFile(`many-${number}.png`));
    await open();
    await admin.page.getByLabel("Files to upload").setInputFiles(names);
    await admin.message("Uploaded 60 files");
    await open("?q=many-");
    const cards = admin.page.locator(".file-card");
    await cards.nth(47).waitFor();
    await cards.nth(1).getByRole("checkbox").click();
    await cards
      .nth(4)
      .getByRole("checkbox")
      .click({ modifiers: ["Shift"] });
    await admin.page.getByText("4 files selected").waitFor();
    await cards.nth(8).getByRole("link").focus();
    await admin.press("Shift+Space");
    await admin.page.getByText("8 files selected").waitFor();
    await admin.press("Control+a");
    await admin.page.getByText("48 files selected").waitFor();
    await button("Next").click();
    await cards.nth(12).waitFor({ state: "detached" });
    await until("the page is at its top", () =>
      admin.page.locator("main").evaluate(({ scrollTop }) => scrollTop < 200),
    );
    await button("Delete").click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await admin.message("Deleted 48 files");
  });

  test.each(["light", "dark"] as const)("axe finds nothing, %s", async (colorScheme) => {
    const other = await AdminPage.open(browser, server, { colorScheme });
    await other.visit("/admin/media?q=good");
    await other.page.locator(".file-card").waitFor();
    expect(await findProblems(other.page)).toEqual([]);
    await other.page.locator(".file-card a").click();
    await other.page.locator(".file-uses a").waitFor();
    expect(await findProblems(other.page)).toEqual([]);
    await other.context.close();
  });

  test("nothing is cut off at a width of 360 pixels, and the browser has reported nothing", async () => {
    await admin.page.setViewportSize({ width: 360, height: 700 });
    await open("?q=good");
    await card("good.png").waitFor();
    const width = await admin.page
      .locator("#main")
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(width).toBe(0);
    expect(admin.complaints).toEqual([]);
  });

  test("an image is cut and turned with keys and numbers, and replaced or copied", async () => {
    await admin.page.setViewportSize({ width: 1280, height: 800 });
    await open();
    const png = await admin.page.evaluate(`{
      const canvas = document.createElement("canvas");
      canvas.width = 40; canvas.height = 20;
      const context = canvas.getContext("2d");
      context.fillStyle = "#ff0000"; context.fillRect(0, 0, 20, 20);
      context.fillStyle = "#0000ff"; context.fillRect(20, 0, 20, 20);
      canvas.toDataURL("image/png").split(",")[1]
    }`);
    const buffer = Buffer.from(String(png), "base64");
    await admin.page.getByLabel("Files to upload").setInputFiles([{ name: "wide.png", mimeType: "image/png", buffer }]);
    await card("wide.png").first().waitFor();
    await admin.visit("/admin/media?q=wide.png");
    const wide = admin.page.locator(".file-card", { hasText: "40 × 20" });
    await wide.getByRole("link").click();
    const dialog = admin.page.getByRole("dialog", { name: "Crop wide.png" });
    const crop = async (): Promise<void> => {
      await button("Crop").click();
      await dialog.getByText("40 × 20 pixels").waitFor();
    };
    await crop();
    expect(await dialog.getByRole("button", { name: "Replace the image" }).isDisabled()).toBe(true);
    const handle = async (name: string) =>
      (await dialog.getByRole("button", { name: new RegExp(`^${name}`) }).boundingBox())!;
    const [topLeft, bottomRight] = [await handle("Top left corner"), await handle("Bottom right corner")];
    expect(bottomRight.x).toBeGreaterThan(topLeft.x);
    expect((await handle("Top right corner")).x).toBe(bottomRight.x);
    expect((await handle("Bottom left corner")).x).toBe(topLeft.x);
    // the blue half, of which a row is cut off
    await dialog.getByLabel("Left", { exact: true }).fill("20");
    await admin.press("Tab");
    await dialog.getByRole("button", { name: /^Bottom right corner/ }).focus();
    await admin.press("ArrowUp");
    await dialog.getByText("20 × 19 pixels").waitFor();
    await dialog.getByRole("button", { name: "Rotate right" }).click();
    await dialog.getByText("19 × 20 pixels").waitFor();
    const problems = await findProblems(admin.page, undefined, "dialog:last-of-type");
    // corners of so small an image are near each other; the numbers do the same
    expect(problems.filter((line) => !/^target-size: .*crop-handle/.test(line))).toEqual([]);
    const upload = Promise.withResolvers<void>();
    await admin.page.route("**/upload*", async (route) => {
      await upload.promise;
      await route.continue();
    });
    await dialog.getByRole("button", { name: "Save as a copy" }).click();
    await dialog.waitFor({ state: "detached" });
    await crop();
    await dialog.getByLabel("Left", { exact: true }).fill("999");
    // the file is read again once the copy has been sent: what is being typed stays
    const reloaded = admin.page.waitForResponse((response) => /\/upload\/files\/\d/.test(response.url()));
    upload.resolve();
    await reloaded;
    await dialog.getByText("Uploaded wide.png").waitFor();
    expect(await dialog.getByLabel("Left", { exact: true }).inputValue()).toBe("999");
    await admin.press("Tab");
    await dialog.getByText("1 × 20 pixels").waitFor();
    await dialog.getByRole("button", { name: "Replace the image" }).click();
    await dialog.waitFor({ state: "detached" });
    interface Found {
      readonly width: number;
      readonly height: number;
      readonly url: string;
    }
    const found = () =>
      server.galley.documents<Found>("plugin::upload.file").findMany({ filters: { name: "wide.png" } });
    const has = async (width: number): Promise<boolean> =>
      (await found()).some((file) => file.width === width && file.height === 20);
    await until("both are stored", async () => (await has(19)) && (await has(1)));
    const results = await found();
    const { url } = results.find(({ width }) => width === 19)!;
    // only blue is left
    const colours = await admin.page.evaluate(`(async () => {
      const image = new Image();
      image.src = ${JSON.stringify(url)};
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = 19; canvas.height = 20;
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [[0, 0], [18, 19]].map(([x, y]) => [...context.getImageData(x, y, 1, 1).data]);
    })()`);
    expect(colours).toEqual([
      [0, 0, 255, 255],
      [0, 0, 255, 255],
    ]);
  }, 60_000);
});
