/** Long documents in the blocks editor, which are in parts: what is edited, selected and moved across them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { closeBrowser, hasBrowser, openBrowser } from "../browser.ts";
import { EditorPage, type EditorServer, serveEditors } from "./harness.ts";

const COUNT = 400;
/** The first block of another part. */
const BORDER = 150;

const paragraph = (text: string): object => ({ type: "paragraph", children: [{ type: "text", text }] });
const texts = Array.from({ length: COUNT }, (_, index) => `Paragraph ${index}`);
const value = texts.map(paragraph);
const withTexts = (change: (all: string[]) => unknown): object[] => {
  const all = [...texts];
  change(all);
  return all.map(paragraph);
};

describe.skipIf(!hasBrowser)("a long document in the blocks editor", () => {
  let server: EditorServer;
  let browser: Browser;
  let editor: EditorPage;

  beforeAll(async () => {
    [server, browser] = await Promise.all([serveEditors(), openBrowser()]);
    editor = await EditorPage.open(browser, server);
  });

  afterAll(async () => {
    await closeBrowser(browser);
    await server?.[Symbol.asyncDispose]();
  });

  const line = (text: string) => editor.page.locator(".ProseMirror").getByText(text, { exact: true });
  const type = (words: string): Promise<void> => editor.page.keyboard.type(words);
  /** The cursor comes to the beginning of a line. */
  const goTo = async (index: number): Promise<void> => {
    const found = line(`Paragraph ${index}`);
    await found.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await found.click();
    await editor.press("Home");
  };
  const open = (): Promise<void> => editor.show("blocks", { value });

  test("only what is near the view is laid out", async () => {
    await open();
    await editor.press("Control+Home");
    const isLaidOut = (index: number): Promise<boolean> =>
      line(`Paragraph ${index}`).evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));
    expect([await isLaidOut(0), await isLaidOut(COUNT - 1)]).toEqual([true, false]);
    await editor.press("Control+End");
    await editor.page.waitForFunction(() => scrollY > 0);
    await type("!");
    await editor.expectValue(withTexts((all) => all.splice(-1, 1, `${texts.at(-1)}!`)));
    expect([await isLaidOut(0), await line(`${texts.at(-1)}!`).isVisible()]).toEqual([false, true]);
  });

  test("keys lead to what is not laid out", async () => {
    await open();
    await editor.press("Control+Home");
    await type("1");
    await editor.press("Control+End");
    await type("2");
    await goTo(BORDER - 1);
    await editor.press("Control+Shift+End", "Delete");
    const left = withTexts((all) => all.splice(0, 1, `1${texts[0]}`)).slice(0, BORDER - 1);
    await editor.expectValue([...left, paragraph("")]);
    await open();
    await goTo(BORDER - 1);
    await editor.page.evaluate(() => scrollTo(0, 0));
    await editor.press("ArrowDown");
    await type("3");
    await editor.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await editor.press("Home", "ArrowLeft");
    await type("4");
    await editor.expectValue(
      withTexts((all) => all.splice(BORDER - 1, 2, `${texts[BORDER - 1]}4`, `3${texts[BORDER]}`)),
    );
  });

  test("blocks of two parts are joined and divided, and undo gives each its JSON back", async () => {
    await open();
    await goTo(BORDER);
    await editor.press("Backspace");
    await editor.expectValue(withTexts((all) => all.splice(BORDER - 1, 2, texts[BORDER - 1]! + texts[BORDER]!)));
    await editor.press("Enter");
    await type("new ");
    await editor.expectValue(withTexts((all) => all.splice(BORDER, 1, `new ${texts[BORDER]}`)));
    await editor.press("ArrowUp", "Home");
    await type("> ");
    const quote = { ...paragraph(texts[BORDER - 1]!), type: "quote" };
    await editor.expectValue(withTexts((all) => all.splice(BORDER, 1, `new ${texts[BORDER]}`)).with(BORDER - 1, quote));
    for (let steps = 0; steps < 6; steps++) await editor.press("Control+z");
    await editor.expectValue(value);
  });

  test("a selection across parts is replaced, and all of it", async () => {
    await open();
    await goTo(BORDER - 1);
    await editor.press("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown");
    await type("x");
    await editor.expectValue(withTexts((all) => all.splice(BORDER - 1, 4, `x${texts[BORDER + 2]}`)));
    await editor.press("Control+a");
    await type("y");
    await editor.expectValue([paragraph("y")]);
    await editor.press("Control+z", "Control+z");
    await editor.expectValue(value);
  });

  test("blocks are moved into another part with keys and the handle", async () => {
    await open();
    await goTo(BORDER - 1);
    await editor.press("Alt+ArrowDown");
    const swapped = withTexts((all) => all.splice(BORDER - 1, 2, texts[BORDER]!, texts[BORDER - 1]!));
    await editor.expectValue(swapped);
    await line(texts[BORDER]!).hover();
    await editor.page.locator(".block-handle").hover();
    await editor.page.mouse.down();
    const { x, y, height } = (await line(texts[BORDER + 2]!).boundingBox())!;
    await editor.page.mouse.move(x, y + height * 0.9, { steps: 4 });
    await editor.page.mouse.up();
    await editor.expectValue(
      withTexts((all) =>
        all.splice(BORDER - 1, 4, ...[BORDER - 1, BORDER + 1, BORDER + 2, BORDER].map((at) => texts[at]!)),
      ),
    );
  });

  test("a document that grows is in parts as well, and undo goes back to what it was", async () => {
    const short = value.slice(0, 199);
    await editor.show("blocks", { value: short });
    const countParts = (): Promise<number> => editor.page.locator(".blocks-part").count();
    await editor.press("Control+End");
    expect(await countParts()).toBe(0);
    await editor.press("Enter");
    await type("The 200th");
    expect(await countParts()).toBe(4);
    await editor.expectValue([...short, paragraph("The 200th")]);
    await goTo(120);
    await editor.press("Enter", "ArrowUp");
    await type("Between");
    await editor.expectValue([
      ...short.slice(0, 120),
      paragraph("Between"),
      ...short.slice(120),
      paragraph("The 200th"),
    ]);
    for (let steps = 0; steps < 4; steps++) await editor.press("Control+z");
    await editor.expectValue(short);
    const lines = Array.from({ length: 120 }, (_, index) => `Pasted ${index}`);
    await editor.press("Control+End");
    await editor.paste({ "text/plain": lines.join("\n\n") });
    expect(await countParts()).toBeGreaterThanOrEqual(6);
    await type("!");
    await editor.press("Enter");
    await type("end");
    const pasted = lines.with(-1, `${lines.at(-1)}!`).with(0, `${texts[198]}${lines[0]}`);
    await editor.expectValue([...short.slice(0, -1), ...[...pasted, "end"].map(paragraph)]);
  });

  test("what comes from outside leaves the cursor where it is", async () => {
    await open();
    await goTo(BORDER);
    const longer = [paragraph("before all"), ...value];
    await editor.page.evaluate((given) => window.harness.editor.update({ value: given }), longer);
    await type("here ");
    await editor.expectValue([
      paragraph("before all"),
      ...withTexts((all) => all.splice(BORDER, 1, `here ${texts[BORDER]}`)),
    ]);
  });
});
