/** What the first rows of a list do not wait for. */
import { describe, expect, test } from "bun:test";
import { typeFile } from "../../project.ts";
import { hasBrowser } from "../../ui/browser.ts";
import { type AdminPage, openPage } from "./admin-page.ts";

const NOTE = "api::note.note";

/** Counts the uses of `Intl`, and keeps their number when the first row is in the document. */
const RECORD_USES = `{
  let uses = 0;
  const counted = (owner, name) => {
    const original = owner[name];
    owner[name] = new Proxy(original, {
      apply: (...call) => (uses++, Reflect.apply(...call)),
      construct: (...call) => (uses++, Reflect.construct(...call)),
    });
  };
  for (const name of ["DateTimeFormat", "RelativeTimeFormat", "NumberFormat", "Collator"]) counted(Intl, name);
  for (const { prototype } of [Date, Number]) counted(prototype, "toLocaleString");
  globalThis.intlUses = () => uses;
  const rows = new MutationObserver(() => {
    if (!document.querySelector(".row-link")) return;
    rows.disconnect();
    globalThis.usesOfFirstRows = uses;
  });
  rows.observe(document, { childList: true, subtree: true });
}`;

describe.skipIf(!hasBrowser)("the first rows of a list", () => {
  let admin: AdminPage;
  openPage(
    typeFile("note", { title: { type: "string" }, day: { type: "date" }, rank: { type: "integer" } }),
    (page) => {
      ({ admin } = page);
    },
    async ({ galley }) => {
      await galley.documents(NOTE).create({ data: { title: "A note", day: "2026-01-31", rank: 7 } });
    },
  );

  test("are drawn before anything is written in the user's language, which takes a browser longer", async () => {
    const { page } = admin;
    await page.addInitScript(RECORD_USES);
    await admin.goTo(`/admin/content/${NOTE}`);
    const time = page.locator("td time");
    await time.getByText("now").waitFor();
    expect(await page.evaluate("usesOfFirstRows")).toBe(0);
    expect(await page.evaluate("intlUses()")).toBeGreaterThan(0);
    expect(await time.getAttribute("title")).toMatch(/\d/);
    expect(admin.complaints).toEqual([]);
  }, 60_000);
});
