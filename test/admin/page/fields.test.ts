/** Fields with values at their limits, and forms without fields. */
import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { configFile, typeFile } from "../../project.ts";
import { findProblems } from "../../ui/axe.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, type AdminServer, openPage } from "./admin-page.ts";

const EVENT = "api::event.event";

describe.skipIf(!hasBrowser)("fields", () => {
  let server: AdminServer;
  let admin: AdminPage;

  openPage(
    {
      ...typeFile("event", {
        name: { type: "string" },
        at: { type: "time" },
        day: { type: "date" },
        when: { type: "datetime" },
        price: { type: "decimal" },
        code: { type: "enumeration", enum: Array.from({ length: 5000 }, (_, index) => `code${index}`) },
        secret: { type: "password" },
        cover: { type: "media", multiple: false, allowedTypes: ["images"] },
      }),
      ...typeFile("mark", {}),
      ...typeFile("order", { code: { type: "enumeration", enum: ["new", "old"], required: true } }),
      ...configFile(),
    },
    (page) => {
      ({ server, admin } = page);
    },
  );

  const events = () => server.galley.documents<{ at: string; when: string; day: string }>(EVENT);
  const field = (name: string): Locator => admin.page.locator(`[name="${name}"]`);
  const make = async (data: Record<string, unknown>): Promise<string> =>
    String((await events().create({ data })).documentId);
  const open = async (documentId: string): Promise<void> => {
    await admin.visit(`/admin/content/${EVENT}/${documentId}`);
    await field("name").waitFor();
  };

  test("seconds and milliseconds stay where another part of a time is changed", async () => {
    const id = await make({ at: "12:34:56.789", when: "1960-05-01T10:20:30.123Z", day: "1815-12-10" });
    await open(id);
    expect(await field("day").inputValue()).toBe("12/10/1815");
    await field("at").focus();
    await admin.press("Home", "ArrowUp");
    await field("when").fill((await field("when").inputValue()).replace(/^\d\d/, "06"));
    await admin.press("Control+s");
    await admin.message("Saved");
    const stored = (await events().findOne({ documentId: id }))!;
    expect(stored.at).toBe("13:34:56.789");
    expect(new Date(stored.when).getMonth()).toBe(5);
    expect(stored.when).toEndWith(":20:30.123Z");
    expect(stored.day).toBe("1815-12-10");
  }, 180_000);

  test("a time is typed behind its date, without separators, too", async () => {
    await open(await make({ name: "Years" }));
    await field("when").focus();
    await admin.type("03042024050607am", field("when"));
    await admin.press("Tab");
    expect(await field("when").inputValue()).toBe("03/04/2024 05:06:07");
  }, 180_000);

  test("a day is chosen from a calendar with keys, and what is no date is said", async () => {
    const id = await make({ name: "Calendar", day: "2024-02-29" });
    await open(id);
    await field("day").focus();
    await admin.press("Alt+ArrowDown");
    const calendar = admin.page.getByRole("dialog", { name: "Choose a date" });
    const day = (name: string): Promise<void> => focusedDay(name).waitFor();
    const focusedDay = (name: string): Locator =>
      calendar.getByRole("gridcell", { name }).and(admin.page.locator(":focus"));
    await day("Thursday, February 29, 2024");
    for (const [key, name] of [
      ["ArrowRight", "Friday, March 1, 2024"],
      ["Home", "Sunday, February 25, 2024"],
      ["End", "Saturday, March 2, 2024"],
      ["ArrowUp", "Saturday, February 24, 2024"],
      ["Shift+PageDown", "Monday, February 24, 2025"],
      ["PageUp", "Friday, January 24, 2025"],
    ] as const) {
      await admin.press(key);
      await day(name);
    }
    expect(await findProblems(admin.page, undefined, "main")).toEqual([]);
    await admin.press("Escape");
    await field("day").and(admin.page.locator(":focus")).waitFor();
    expect(await field("day").inputValue()).toBe("02/29/2024");
    await admin.press("Alt+ArrowDown");
    await day("Thursday, February 29, 2024");
    await admin.press("ArrowLeft", "Enter");
    await field("day").and(admin.page.locator(":focus")).waitFor();
    expect(await field("day").inputValue()).toBe("02/28/2024");
    await field("day").fill("2/30/2024");
    await admin.press("Tab");
    await admin.page.getByText('"2/30/2024" is not a valid date').waitFor();
    await field("day").fill("2024-3-1");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await events().findOne({ documentId: id }))!.day).toBe("2024-03-01");
  }, 180_000);

  test("a text that is not a date or a time is not saved, nor is the value that it begins with", async () => {
    const id = await make({ name: "Invalid", at: "09:00:00.000" });
    await open(id);
    await field("at").focus();
    await admin.press("Control+a");
    await admin.type("25:00", field("at"));
    await field("day").focus();
    await admin.type("31.02.2026", field("day"));
    await admin.press("Control+s");
    await admin.message("Not saved: some fields are invalid");
    await admin.page.getByText('"25:00" is not a valid time').waitFor();
    await admin.page.getByText('"31.02.2026" is not a valid date').waitFor();
    await field("name").fill("Changed");
    await admin.press("Control+s");
    await admin.message("Not saved: some fields are invalid");
    await field("at").fill("10:00");
    await field("day").fill("");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect(await events().findOne({ documentId: id })).toMatchObject({
      name: "Changed",
      at: "10:00:00.000",
      day: null,
    });
  }, 180_000);

  test("a calendar at the end of the dates ends there", async () => {
    await open(await make({ name: "Forever", day: "9999-12-31" }));
    await field("day").focus();
    await admin.press("Alt+ArrowDown");
    const last = admin.page
      .getByRole("gridcell", { name: "Friday, December 31, 9999" })
      .and(admin.page.locator(":focus"));
    await last.waitFor();
    for (const key of ["ArrowRight", "End", "PageDown", "Shift+PageDown"]) {
      await admin.press(key);
      await last.waitFor();
    }
    expect(await admin.page.getByRole("gridcell", { name: "January 1, 10000" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    await admin.press("Escape");
    expect(admin.complaints).toEqual([]);
  }, 180_000);

  test("a time is typed to its milliseconds, however fast", async () => {
    const id = await make({ name: "Fast" });
    await open(id);
    await field("at").focus();
    await admin.page.keyboard.type("09:30:00.5");
    expect(await field("at").inputValue()).toBe("09:30:00.5");
    await admin.press("Control+s");
    await admin.message("Saved");
    expect((await events().findOne({ documentId: id }))!.at).toBe("09:30:00.500");
  }, 180_000);

  test("a choice of 5,000 values shows a part of them, and each is reached with keys and by typing", async () => {
    await open(await make({ name: "Many", code: "code4000" }));
    const choice = admin.page.getByRole("combobox", { name: "Code" });
    const options = admin.page.getByRole("option");
    const active = admin.page.locator("[role=option][data-highlighted]");
    await choice.focus();
    await admin.press("ArrowDown");
    await active.filter({ hasText: "code4000" }).waitFor();
    expect(await options.count()).toBeLessThanOrEqual(1000);
    await admin.press("End");
    await active.filter({ hasText: "code4999" }).waitFor();
    expect(await active.getAttribute("aria-posinset")).toBe(await active.getAttribute("aria-setsize"));
    await admin.press("Home", "PageDown");
    await active.filter({ hasText: /^code9$/ }).waitFor();
    await admin.page.keyboard.type("code12");
    await options.filter({ hasText: /^code1234$/ }).click();
    expect(await choice.inputValue()).toBe("code1234");
  }, 180_000);

  test("a choice that is required has no value while none is chosen", async () => {
    await admin.visit("/admin/content/api::order.order/new");
    const choice = admin.page.getByRole("combobox", { name: "Code" });
    await choice.waitFor();
    expect(await choice.evaluate((input) => input.matches(":invalid"))).toBe(true);
    expect(await choice.getAttribute("placeholder")).toBe("No value");
  }, 180_000);

  test("a refused value is said in the words of the form, and stays", async () => {
    await open(await make({ name: "Price" }));
    await field("price").fill("1,5");
    await admin.press("Control+s");
    await admin.page.getByText("Must be a number", { exact: true }).waitFor();
    expect(await field("price").inputValue()).toBe("1,5");
  }, 180_000);

  test("a password is unchanged only where there is a document", async () => {
    await admin.visit(`/admin/content/${EVENT}/new`);
    expect(await field("secret").getAttribute("placeholder")).toBeNull();
    await field("secret").fill("correct horse");
    await admin.press("Control+s");
    await admin.message("Saved");
    await admin.page.locator('[name="secret"][placeholder="Unchanged"]:focus').waitFor();
    expect(await field("secret").inputValue()).toBe("");
  }, 180_000);

  test("files that have not come have their place where one is chosen, after a moment", async () => {
    await open(await make({ name: "Waiting" }));
    const answered = Promise.withResolvers<void>();
    await admin.page.route("**/upload/files?*", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await admin.page.getByRole("button", { name: "Choose, drop or paste" }).click();
    const waiting = admin.page.getByRole("dialog").locator(".picker-grid .skeleton");
    await waiting.first().waitFor();
    expect(await waiting.count()).toBe(12);
    const animation = await waiting.first().evaluate((line) => {
      const [first] = (
        line as unknown as { getAnimations: () => { effect: { getTiming: () => { delay: number } } }[] }
      ).getAnimations();
      return first?.effect.getTiming().delay;
    });
    expect(animation).toBe(200);
    answered.resolve();
    await waiting.first().waitFor({ state: "detached" });
    await admin.press("Escape");
    await admin.page.unroute("**/upload/files?*");
  });

  test("a file of another type is uploaded, but not used", async () => {
    await open(await make({ name: "Cover" }));
    await admin.page.getByRole("button", { name: "Choose, drop or paste" }).click();
    const dialog = admin.page.getByRole("dialog", { name: "Choose a file" });
    const words = { name: "words.txt", mimeType: "text/plain", buffer: Buffer.from("words") };
    await dialog.getByLabel("Files to upload").setInputFiles(words);
    await admin.message("words.txt is in the library, but cannot be used here: text/plain");
    expect(await dialog.getByRole("button", { name: "words.txt" }).isDisabled()).toBe(true);
    await admin.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }, 180_000);

  test("a content-type without attributes leads to where they are made", async () => {
    const { documentId } = await server.galley.documents("api::mark.mark").create({ data: {} });
    await admin.visit(`/admin/content/api::mark.mark/${documentId}`);
    // it has no name, but it is not a new one
    await admin.page.getByRole("link", { name: "Add attributes" }).waitFor();
    await admin.page.getByRole("heading", { level: 1, name: "mark", exact: true }).waitFor();
    await admin.visit("/admin/content/api::mark.mark/new");
    await admin.page.getByRole("link", { name: "Add attributes" }).click();
    await admin.page.getByRole("button", { name: "Add an attribute" }).waitFor();
  }, 180_000);
});
