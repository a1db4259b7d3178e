/** The page "Changes": what is not committed, what needs attention, and how it gets there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type Listening, listen } from "../../../src/server/listen.ts";
import { componentFile, typeFile } from "../../project.ts";
import { type ProjectInGit, projectInGit } from "../../server/content-changes/project-in-git.ts";
import { findProblems, findProblemsAtWidths } from "../../ui/axe.ts";
import { closeBrowser, hasBrowser, openBrowser } from "../../ui/browser.ts";
import { AdminPage, KEY } from "./admin-page.ts";

const FILES = {
  ...componentFile("parts.quote", { text: { type: "text" } }),
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile(
    "note",
    {
      title: { type: "string", required: true },
      shortName: { type: "string" },
      text: { type: "text" },
      isOpen: { type: "boolean" },
      quotes: { type: "component", component: "parts.quote", repeatable: true },
    },
    { draftAndPublish: true, localized: true },
  ),
};
const OPENING_MS = 180_000;

describe.skipIf(!hasBrowser)("the page of changes", () => {
  let project: ProjectInGit;
  let server: Listening;
  let browser: Browser;
  let admin: AdminPage;
  let first: string;

  beforeAll(async () => {
    [project, browser] = await Promise.all([projectInGit(FILES, { key: KEY }), openBrowser()]);
    server = listen(project.running, { port: 0, host: "localhost", graceMs: 0 });
    const data = { title: "First", text: "one\ntwo\nthree\n", quotes: [{ text: "a" }, { text: "b" }, { text: "c" }] };
    first = (await project.service("note").create({ data: data as never })).documentId as string;
    await project.service("tag").create({ data: { name: "Gone" } });
    await project.written("notes/first.yaml");
    await project.written("tags/gone.yaml");
    project.git("add", ".");
    project.git("commit", "--quiet", "--message", "content");
    admin = await AdminPage.open(browser, { address: `http://localhost:${server.port}` });
  }, OPENING_MS);
  afterAll(async () => {
    await closeBrowser(browser);
    await server?.stop();
    await project?.[Symbol.asyncDispose]();
  });

  const sign = (text: string) => admin.page.getByRole("link", { name: new RegExp(`^Changes ${text}`) });

  /** What axe finds, light and dark, and how far the page is wider than a telephone. */
  async function flaws(): Promise<unknown[]> {
    const light = await findProblems(admin.page);
    await admin.page.emulateMedia({ colorScheme: "dark" });
    const dark = await findProblems(admin.page, ["color-contrast"]);
    await admin.page.emulateMedia({ colorScheme: "light" });
    await admin.page.setViewportSize({ width: 390, height: 800 });
    const over = await admin.page.locator("main").evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    await admin.page.setViewportSize({ width: 1280, height: 800 });
    return [...light, ...dark, ...(over > 0 ? [over] : [])];
  }

  test("says that nothing has changed, and counts what does", async () => {
    await admin.page.getByRole("link", { name: "Changes" }).click();
    await admin.page.getByText("Nothing has changed since the last commit.").waitFor();
    expect(await flaws()).toEqual([]);
    await project.service("note").update({
      documentId: first,
      data: {
        text: "one\n2\nthree\n",
        shortName: "F",
        isOpen: true,
        quotes: [{ text: "c" }, { text: "a" }, { text: "new" }],
      } as never,
    });
    await project.service("note").create({ data: { title: "Second" } });
    const { documentId } = (await project.service("tag").findMany({}))[0]!;
    await project.service("tag").delete({ documentId: documentId as string });
    await sign("3 not committed").waitFor();
  }, 180_000);

  test("tells each document's differences in words", async () => {
    const changed = admin.page.getByRole("listitem").filter({ has: admin.page.getByRole("link", { name: "First" }) });
    await changed.waitFor();
    const text = (await changed.allInnerTexts()).join().replaceAll(/\s+/g, " ");
    expect(text).toContain("First Changed Discard content/notes/first.yaml");
    expect(text).toContain("Short name Before: empty → , now: F");
    expect(text).toContain("Is open Before: empty → , now: Yes");
    expect(text).toContain("− Removed: two + Added: 2");
    expect(text).toContain("Added at 3: new");
    expect(text).toContain("Removed from 2: b");
    expect(text).toContain("Moved from 1 to 2: a");
    await admin.page.getByRole("listitem").filter({ hasText: "Gone" }).getByText("Deleted").waitFor();
    await admin.page.getByRole("listitem").filter({ hasText: "Second" }).getByText("New").waitFor();
    expect(await admin.page.getByRole("link", { name: "Gone" }).count()).toBe(0);
    expect(await flaws()).toEqual([]);
    await changed.getByRole("link", { name: "First" }).click();
    await admin.page.getByRole("heading", { name: "First" }).waitFor();
    await admin.page.goBack();
  }, 180_000);

  test("discards with the keyboard, after a question that says what is lost", async () => {
    const button = admin.page.getByRole("button", { name: "Discard: First" });
    await button.focus();
    await admin.press("Enter");
    const dialog = admin.page.getByRole("dialog", { name: "Discard the changes of “First”?" });
    await dialog.getByText("What has changed since is lost: ").waitFor();
    await dialog.getByText("Text, Quotes, Short name, Is open").waitFor();
    await admin.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(project.read("notes/first.yaml")).toContain("2");
    await button.focus();
    await admin.press("Enter");
    const window = admin.page.viewportSize()!;
    expect(await findProblemsAtWidths(admin.page, "dialog[open]")).toEqual([]);
    await admin.page.setViewportSize(window);
    await dialog.getByRole("button", { name: "Discard" }).focus();
    await admin.press("Enter");
    await admin.message("Discarded");
    await button.waitFor({ state: "detached" });
    await sign("2 not committed").waitFor();
    expect(await project.service("note").findOne({ documentId: first })).toMatchObject({ text: "one\ntwo\nthree\n" });
    await admin.page.getByRole("button", { name: "Discard: Gone" }).click();
    await admin.page.getByRole("dialog").getByText("The document comes back").waitFor();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await sign("1 not committed").waitFor();
  }, 180_000);

  test("names invalid files and conflicts, here and on the document", async () => {
    await project.atOnce(async () => {
      await project.service("note").update({ documentId: first, data: { shortName: "mine" } as never });
      project.write("notes/first.yaml", `${project.read("notes/first.yaml")}shortName: theirs\n`);
    });
    await sign("there are conflicts").waitFor();
    const saved = project.read("notes/first.yaml");
    project.write("notes/first.yaml", saved.replace("title: First", "title: [First"));
    await sign("files are not valid").waitFor();
    const problems = admin.page.getByRole("region", { name: "A file is not valid" });
    await problems.getByText(/content\/notes\/first\.yaml, line \d+/).waitFor();
    await admin.page.getByText("Short name: the file's value is served; yours is in the history.").waitFor();
    expect(await flaws()).toEqual([]);
    await problems.getByRole("link", { name: "Open the document" }).click();
    await admin.page.getByText("The file of this document is not valid (content/notes/first.yaml, line").waitFor();
    await admin.page.getByText("This document was changed here and in its file.").waitFor();
    expect(await flaws()).toEqual([]);
    await admin.page.getByRole("link", { name: "Open the history" }).click();
    await admin.page.getByRole("dialog", { name: "History" }).waitFor();
    await admin.press("Escape");
    expect(admin.page.url()).not.toContain("history");
    project.write("notes/first.yaml", saved);
    await admin.page.getByText("The file of this document is not valid").waitFor({ state: "detached" });
    await admin.page.getByRole("link", { name: /^Changes/ }).click();
    await admin.page.getByRole("button", { name: "Dismiss: First" }).click();
    await admin.message("Dismissed");
    await sign("2 not committed").waitFor();
  }, 180_000);

  test("an open document follows its file, which keeps its time, and does not lose what it says", async () => {
    const read = (): string => project.read("notes/first.yaml");
    await admin.visit(`/admin/content/api::note.note/${first}`);
    await admin.page.getByRole("heading", { name: "First" }).waitFor();
    project.write("notes/first.yaml", read().replace("title: First", "title: Pulled"));
    await admin.page.getByRole("heading", { name: "Pulled" }).waitFor();
    await admin.page.getByRole("textbox", { name: "Short name" }).fill("typed");
    project.write(
      "notes/first.yaml",
      `${read().replace("title: Pulled", "title: First")}`.replace(/shortName: .*/, "shortName: pulled"),
    );
    await admin.page
      .getByText("Somebody else saved this document. Your changes are still here, and not saved.")
      .waitFor();
    for (const answer of ["Cancel", "Save mine over theirs"]) {
      expect(read()).toContain("shortName: pulled");
      await admin.page.getByRole("button", { name: "Save", exact: true }).click();
      const question = admin.page.getByRole("dialog", { name: "Somebody else saved this document" });
      await question.getByText("It was saved after you had opened it.").waitFor();
      await question.getByRole("button", { name: answer }).click();
      await question.waitFor({ state: "detached" });
    }
    await admin.message("Saved");
    await project.written("notes/first.yaml", "shortName: typed");
    expect(read()).toContain("title: First");
    await admin.visit("/admin/changes");
  }, 180_000);

  test("says what it could not load, and follows commits", async () => {
    await admin.page.route("**/content-changes", (route) => route.fulfill({ status: 400, json: {} }));
    await admin.page.reload();
    const again = admin.page.getByRole("alert").getByRole("button", { name: "Try again" });
    await again.waitFor();
    await admin.page.unroute("**/content-changes");
    await again.click();
    await admin.page.getByRole("button", { name: "Discard: Second" }).waitFor();
    expect(await admin.page.getByRole("alert").count()).toBe(0);
    project.git("add", ".");
    project.git("commit", "--quiet", "--message", "second");
    await admin.page.getByText("Nothing has changed since the last commit.").waitFor();
    await admin.page.getByRole("link", { name: "Changes", exact: true }).waitFor();
    expect(admin.complaints).toEqual([]);
  }, 180_000);
});
