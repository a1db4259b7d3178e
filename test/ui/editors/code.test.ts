/** The editors of Markdown and JSON in a browser, under the page's policy. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { findProblems } from "../axe.ts";
import { closeBrowser, hasBrowser, openBrowser } from "../browser.ts";
import { selectOption } from "../select-option.ts";
import { EditorPage, type EditorServer, type OpenOptions, serveEditors } from "./harness.ts";

describe.skipIf(!hasBrowser)("editors of text", () => {
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

  const type = (words: string): Promise<void> => editor.page.keyboard.type(words);

  const expectValue = (expected: unknown): Promise<void> => editor.expectValue(expected);

  describe("Markdown", () => {
    const open = (value: unknown, rest: OpenOptions = {}): Promise<void> => editor.show("markdown", { value, ...rest });

    test("text, and none", async () => {
      await open(null);
      await type("# a");
      await expectValue("# a");
      await editor.press("Control+a", "Delete");
      await expectValue(null);
    });

    test("keys of styles, on and off", async () => {
      await open("word");
      await editor.press("Control+a", "Control+b");
      await expectValue("**word**");
      await editor.press("Control+i");
      await expectValue("**_word_**");
      await editor.press("Control+i", "Control+b");
      await expectValue("word");
      await editor.press("Control+k");
      await type("https://e.com");
      await expectValue("[word](https://e.com)");
    });

    test("lists go on with Enter, and end with an empty item", async () => {
      await open(null);
      await type("- [x] a");
      await editor.press("Enter");
      await type("b");
      await editor.press("Enter", "Enter");
      await type("1. c");
      await editor.press("Enter");
      await type("d");
      await expectValue("- [x] a\n- [ ] b\n1. c\n2. d");
    });

    test("buttons change whole lines", async () => {
      await open("a\nb");
      await editor.press("Control+a");
      await editor.page.getByRole("button", { name: "Numbered list" }).click();
      await expectValue("1. a\n2. b");
      await editor.page.getByRole("button", { name: "Quote" }).click();
      await expectValue("> a\n> b");
      await editor.page.getByRole("button", { name: "Quote" }).click();
      await expectValue("a\nb");
      await selectOption(editor.page.getByLabel("Line type"), "Heading 2");
      await expectValue("## a\n## b");
    });

    test("it is prose: its spelling is checked, in its language, and each line has the direction of its text", async () => {
      await open("one\n\n- שתיים", { lang: "he" });
      const content = editor.page.locator(".cm-content");
      expect(await content.getAttribute("spellcheck")).toBe("true");
      expect(await content.getAttribute("lang")).toBe("he");
      /** Where the text of a line or block begins, from the left edge. */
      const startsAt = (element: Element): number => {
        const range = element.ownerDocument.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().left - element.getBoundingClientRect().left;
      };
      const [first, , last] = await Promise.all(
        (await editor.page.locator(".cm-line").all()).map((line) => line.evaluate(startsAt)),
      );
      expect(first).toBeLessThan(20);
      expect(last).toBeGreaterThan(100);
      await editor.page.getByRole("button", { name: "Preview" }).click();
      const list = editor.page.getByRole("region", { name: "Preview" }).locator("ul");
      expect(await list.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
    });

    test("words are found where the page does not have their line, and replaced", async () => {
      const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`);
      await open(lines.join("\n"));
      const { page } = editor;
      expect(await page.getByText("line 250").count()).toBe(0);
      await editor.press("Control+f");
      await type("line 250");
      await editor.press("Enter");
      await page.locator(".cm-searchMatch-selected", { hasText: "line 250" }).waitFor();
      expect(await findProblems(page)).toEqual([]);
      await editor.press("Escape");
      await type("found");
      lines[250] = "found";
      await expectValue(lines.join("\n"));
      await page.getByRole("button", { name: "Find and replace" }).click();
      await page.getByLabel("Find", { exact: true }).fill("line 29");
      await page.getByLabel("Replace", { exact: true }).fill("row 29");
      await page.getByRole("button", { name: "Replace all" }).click();
      await expectValue(lines.map((line) => line.replace("line 29", "row 29")).join("\n"));
      await page.getByRole("button", { name: "Close" }).click();
    });

    test("images of the library", async () => {
      await open("a");
      await editor.press("Control+End");
      await editor.page.getByRole("button", { name: "Image" }).click();
      await expectValue("a\n\n![ferry.png](/picture.png)");
    });

    test("line ends of other systems stay, and new ones are like them", async () => {
      await open("a\r\nb");
      await editor.press("Control+End", "Enter");
      await type("c");
      await expectValue("a\r\nb\r\nc");
      await open("a\r\nb\nc");
      await editor.press("Control+End");
      await type("!");
      await expectValue("a\r\nb\nc!");
    });

    test("the preview shows Markdown as elements, and HTML as text", async () => {
      await open(
        "# Title\n\n*a* **b** ~~c~~ `d` [e](https://e.com) [f](javascript:alert(1)) &amp; \\*\n\n- [x] g\n  1. h\n\n" +
          "> i\n\n```js\nk < l\n```\n\n| m | n |\n|---|:-:|\n| o | p |\n\n<script>document.title = 'run'</script>\n\n" +
          "<img src=x onerror=\"document.title='run'\"> ![q](/picture.png)",
      );
      await editor.page.getByRole("button", { name: "Preview" }).click();
      const preview = editor.page.getByRole("region", { name: "Preview" });
      await preview.locator(".heading-1", { hasText: "Title" }).waitFor();
      expect(await preview.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual(
        ["https://e.com"],
      );
      expect(await preview.locator("li li").textContent()).toBe("h");
      expect(await preview.locator("pre").textContent()).toBe("k < l");
      expect(await preview.locator("td").allTextContents()).toEqual(["o", "p"]);
      expect(await preview.locator("img").count()).toBe(1);
      const text = await preview.textContent();
      expect(text).toContain("<script>");
      expect(text).toContain("f & *");
      expect(await editor.page.title()).toBe("Editor");
      await editor.page.getByRole("button", { name: "Preview" }).click();
      await type("x");
      expect(editor.complaints).toEqual([]);
    });

    test("a pasted table becomes one of Markdown, and undo leaves its text", async () => {
      await editor.show("markdown", { value: "before, after" });
      await editor.press("Control+Home", ...Array(7).fill("ArrowRight"));
      const html =
        '<h2>Ships</h2><table><tr><th colspan="2">Name | <b>ship</b></th></tr><tr><td><p>A</p><p>B</p></td><td><a href="/x">*x*</a></td></tr>' +
        "<tr><td></td><td>y</td><td>z</td></tr></table><ol><li>1. <i>one</i> </li></ol>";
      const paste = () => editor.paste({ "text/plain": "Ships\tand more", "text/html": html });
      await paste();
      const table = "| Name \\| **ship** |  |  |\n| --- | --- | --- |\n| A B | [\\*x\\*](/x) |\n|  | y | z |";
      const markdown = `before,\n\n## Ships\n\n${table}\n\n1. 1\\. _one_\n\n after`;
      await editor.expectValue(markdown);
      await editor.press("Control+z");
      await editor.expectValue("before,Ships\tand more after");
      await editor.press("Control+z");
      await paste();
      await editor.expectValue(markdown);
      await editor.page.keyboard.type("!");
      await editor.expectValue(markdown.replace("_one_", "_one_!"));
    });

    test("headings, lists, styles and links of other programs become Markdown, within a line or on lines of their own", async () => {
      await editor.show("markdown", { value: "one " });
      await editor.press("Control+End");
      await editor.paste({ "text/plain": "two", "text/html": '<p><b>two</b> <a href="https://e.com/">three</a></p>' });
      await editor.expectValue("one **two** [three](https://e.com/)");
      const html = "<h2>Four</h2><p>five<img src=x></p><ul><li>six</li><li>seven</li></ul>";
      await editor.paste({ "text/plain": "Four", "text/html": html });
      await editor.expectValue("one **two** [three](https://e.com/)\n\n## Four\n\nfive\n\n- six\n- seven");
      expect(await editor.page.evaluate(() => window.harness.errors)).toEqual([
        "The text was pasted without its images. Paste each image by itself",
      ]);
      await editor.press("Control+z");
      await editor.expectValue("one **two** [three](https://e.com/)Four");
    });

    test("HTML that says no more than its text, code, and HTML where it may not be changed, is pasted as text", async () => {
      await editor.show("markdown", { value: "a" });
      await editor.press("Control+End");
      await editor.paste({ "text/plain": "b", "text/html": "<p>b</p>" });
      await editor.paste({ "text/plain": "c", "text/html": "<table><tr><td>c</td></tr></table>" });
      await editor.paste({ "text/plain": "**d**", "text/html": "<pre>**d**</pre>" });
      const line = '<div style="font-family: monospace; white-space: pre;"><div><span>**e**</span></div></div>';
      await editor.paste({ "text/plain": "**e**", "text/html": line });
      await editor.expectValue("abc**d****e**");
      await editor.show("markdown", { value: "a", readOnly: true });
      await editor.paste({ "text/plain": "b", "text/html": "<table><tr><td>b</td><td>c</td></tr></table>" });
      expect(await editor.value()).toBeUndefined();
    });

    test("a value from outside is not a change, and undo does not go back over it", async () => {
      await open("one two three");
      await editor.page.evaluate(() => window.harness.editor.update({ value: "one 2 three" }));
      expect(await editor.value()).toBeUndefined();
      await editor.press("Control+End");
      await type("!");
      await editor.press("Control+z");
      await expectValue("one 2 three");
    });

    test("one sees what one types where it was out of view", async () => {
      await open(Array.from({ length: 200 }, (_, line) => `Line ${line}`).join("\n"));
      expect(await editor.typeOutOfView(" and more")).toBe(true);
    });

    test("the cursor moves through lines that typing has just wrapped", async () => {
      const words = " many words".repeat(14);
      await open("one\ntwo\nthree");
      await editor.press("Control+Home", "ArrowDown", "End");
      await type(words);
      await editor.press("ArrowDown");
      await type("!");
      await editor.press("Home", "ArrowUp", "End");
      await type("?");
      await expectValue(`one\ntwo${words}?\nthree!`);
    });

    test("read-only", async () => {
      await open("a", { readOnly: true });
      await type("b");
      await editor.press("Control+b", "Enter", "Delete");
      expect(await editor.value()).toBeUndefined();
    });

    test("Tab leaves", async () => {
      await open("- a");
      await editor.press("Tab");
      expect(await editor.page.evaluate(() => document.activeElement?.id)).toBe("after");
    });
  });

  describe("JSON", () => {
    const open = (value: string | null, rest: OpenOptions = {}): Promise<void> =>
      editor.show("json", { value, ...rest });
    /** What the editor has reported so far, with null for problems that are no more. */
    const problems = (): Promise<unknown[]> =>
      editor.page.evaluate(() => window.harness.problems.map((one) => one ?? null));
    const reported = async (count: number): Promise<unknown> => {
      await editor.page.waitForFunction((wanted) => window.harness.problems.length >= wanted, count);
      return (await problems()).at(-1);
    };

    test("a text, none, and where an error is when typing rests", async () => {
      await open('{"a": [1]}');
      await editor.press("Control+a");
      await type('{\n"b": 2\n}');
      await expectValue('{\n  "b": 2\n  }');
      expect(await reported(1)).toBeNull();
      await editor.press("Control+a");
      await type('{\n"b": x');
      // the line is indented by itself
      expect(await reported(2)).toBe("This is not JSON: “x” is not expected here (line 2, column 8)");
      expect(await editor.value()).toContain('"b": x');
      await editor.press("Control+a", "Delete");
      await expectValue(null);
      expect(await reported(3)).toBeNull();
    });

    test("a text is not checked with each key", async () => {
      await open(null);
      await editor.page.evaluate(() => {
        for (const key of "[1, 2, 3]") document.execCommand("insertText", false, key);
      });
      expect(await reported(1)).toBeNull();
      expect(await problems()).toHaveLength(1);
    });

    test("text that was no JSON is there again", async () => {
      await open('{"a": ');
      expect(await reported(1)).toBe("This is not JSON: it ends too early (line 1, column 7)");
      expect(await editor.value()).toBeUndefined();
      await editor.press("Control+End");
      await type("2}");
      await expectValue('{"a": 2}');
      expect(await reported(2)).toBeNull();
    });

    test("a value from outside takes the problem away", async () => {
      await open("{");
      await reported(1);
      await editor.page.evaluate(() => window.harness.editor.update({ value: '{"a": 3}' }));
      expect(await reported(2)).toBeNull();
      expect(await editor.value()).toBeUndefined();
    });

    test("layout by a button is not a change of the value", async () => {
      await open("[1,2]");
      await editor.page.getByRole("button", { name: "Format" }).click();
      expect(await editor.page.locator(".cm-line").allTextContents()).toEqual(["[", "  1,", "  2", "]"]);
      await editor.press("Control+z");
      expect(await editor.page.locator(".cm-line").allTextContents()).toEqual(["[1,2]"]);
      await expectValue("[1,2]");
    });
  });

  test.each(["light", "dark"] as const)("axe finds nothing, %s", async (scheme) => {
    const page = await EditorPage.open(browser, server, scheme);
    await page.show("markdown", { value: "# a\n\n**b** `c` [d](/e)\n\n> f\n\n- g" });
    expect(await findProblems(page.page)).toEqual([]);
    await page.page.getByRole("button", { name: "Preview" }).click();
    await page.page.locator(".heading-1").waitFor();
    expect(await findProblems(page.page)).toEqual([]);
    await page.show("json", { value: '{"a": [1, true, null, "b"], }' });
    await page.page.locator(".cm-lint-marker").waitFor();
    expect(await findProblems(page.page)).toEqual([]);
    expect(page.complaints).toEqual([]);
    await page.page.context().close();
  });
});
