/** The blocks editor in a browser, under the page's policy: keyboard, clipboard, images. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator } from "playwright-core";
import { typedTarget } from "../../../src/ui/editors/blocks/link-target.ts";
import { findProblems } from "../axe.ts";
import { closeBrowser, hasBrowser, openBrowser } from "../browser.ts";
import { selectOption } from "../select-option.ts";
import { EditorPage, type EditorServer, type OpenOptions, serveEditors } from "./harness.ts";

const text = (value: string, rest: object = {}): object => ({ type: "text", text: value, ...rest });
const paragraph = (...children: object[]): object => ({ type: "paragraph", children });
const link = (url: string, value: string): object => ({ type: "link", url, children: [text(value)] });
const item = (value: string): object => ({ type: "list-item", children: [text(value)] });
const list = (children: object[], rest: object = {}): object => ({
  type: "list",
  format: "unordered",
  ...rest,
  children,
});

describe.skipIf(!hasBrowser)("the blocks editor", () => {
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

  const open = (value: unknown, rest: OpenOptions = {}): Promise<void> => editor.show("blocks", { value, ...rest });
  const type = (words: string): Promise<void> => editor.page.keyboard.type(words);

  const expectValue = (expected: unknown): Promise<void> => editor.expectValue(expected);

  test("text and styles", async () => {
    await open(null);
    await type("one ");
    await editor.press("Control+b");
    await type("two");
    await editor.press("Control+b", "Shift+Enter");
    await type("three");
    await editor.press("Enter");
    await type("four");
    await expectValue([paragraph(text("one "), text("two", { bold: true }), text("\nthree")), paragraph(text("four"))]);
  });

  test("a list within a numbered one does not take a number", async () => {
    const inner = list([item("inner")]);
    await open([list([item("one"), inner, item("two")], { format: "ordered" })]);
    const counted = await editor.page.$$eval(".ProseMirror > ol > li", (items) =>
      items.map((element) => getComputedStyle(element).counterIncrement),
    );
    // without a rule of its own, an item counts
    expect(counted).toEqual(["none", "list-item 0", "none"]);
  });

  test("a list and a quote have the direction of their text", async () => {
    await open([list([item("אחת")]), { type: "quote", children: [text("שתיים")] }, list([item("one")])], {
      lang: "he",
    });
    const directions = editor.page.$$eval(".ProseMirror > *", (all) =>
      all.map((one) => getComputedStyle(one).direction),
    );
    expect(await directions).toEqual(["rtl", "rtl", "ltr"]);
    expect(await editor.page.locator(".ProseMirror").getAttribute("lang")).toBe("he");
  });

  test("a key lays out the text alone, and the editor grows with it", async () => {
    const page = editor.page;
    await open([paragraph(text("one"))]);
    const heights = (): Promise<{ body: number; content: number; field: number }> =>
      page.evaluate(() => {
        const heightOf = (selector: string): number => document.querySelector(selector)!.getBoundingClientRect().height;
        return { body: heightOf(".blocks-body"), content: heightOf(".ProseMirror"), field: heightOf(".blocks-editor") };
      });
    await page.waitForFunction(() => document.querySelector(".blocks-body.editor-own-layout"));
    const before = await heights();
    for (let line = 0; line < 8; line++) await editor.press("Enter", "a");
    await page.waitForFunction(
      (height) => document.querySelector(".blocks-body")!.getBoundingClientRect().height > height,
      before.body,
    );
    const after = await heights();
    expect(after.body).toBeCloseTo(after.content, 1);
    expect(after.field - before.field).toBeCloseTo(after.content - before.content, 1);
    expect(await page.evaluate(() => getComputedStyle(document.querySelector(".blocks-body")!).contain)).toBe(
      "size layout",
    );
  });

  test("one sees what one types where it was out of view", async () => {
    await open(Array.from({ length: 100 }, (_, line) => paragraph(text(`Paragraph ${line}`))));
    expect(await editor.typeOutOfView(" and more")).toBe(true);
  });

  test.each([
    ["## a", [{ type: "heading", level: 2, children: [text("a")] }]],
    ["> a", [{ type: "quote", children: [text("a")] }]],
    ["```ts a", [{ type: "code", language: "ts", children: [text("a")] }]],
    ["- a", [list([item("a")])]],
    ["1. a", [list([item("a")], { format: "ordered" })]],
    [
      "x **b** *i* `c` ~~s~~!",
      [
        paragraph(
          text("x "),
          text("b", { bold: true }),
          text(" "),
          text("i", { italic: true }),
          text(" "),
          text("c", { code: true }),
          text(" "),
          text("s", { strikethrough: true }),
          text("!"),
        ),
      ],
    ],
    ["see https://e.com/a, or", [paragraph(text("see "), link("https://e.com/a", "https://e.com/a"), text(", or"))]],
    ["snake_case_name 2*3*4", [paragraph(text("snake_case_name 2*3*4"))]],
  ])("typing %p", async (words, expected) => {
    await open(null);
    await type(words);
    await expectValue(expected);
  });

  test("Enter behind three backticks and a language begins code", async () => {
    await open(null);
    await type("```js");
    await editor.press("Enter");
    await type("a");
    await expectValue([{ type: "code", language: "js", children: [text("a")] }]);
  });

  test("a URL that is pasted into text becomes a link", async () => {
    await open([paragraph(text("to "))]);
    await editor.press("End");
    await editor.paste({ "text/plain": "https://e.com/" });
    await type("x");
    await expectValue([paragraph(text("to "), link("https://e.com/", "https://e.com/"), text("x"))]);
  });

  test("URLs become links in pasted lines, and with Enter behind them", async () => {
    await open(null);
    await editor.paste({ "text/plain": "at http://a.example/(b). Or:\nhttp://c.example, not xhttp://d.example" });
    await editor.press("Enter");
    await type("(https://e.example).");
    await editor.press("Enter");
    await type("https://f.example/?");
    await editor.press("Enter", "Enter");
    await expectValue([
      paragraph(text("at "), link("http://a.example/(b", "http://a.example/(b"), text("). Or:")),
      paragraph(text(""), link("http://c.example", "http://c.example"), text(", not xhttp://d.example")),
      paragraph(text("(https://e.example).")),
      paragraph(text(""), link("https://f.example/", "https://f.example/"), text("?")),
      paragraph(text("")),
      paragraph(text("")),
    ]);
  });

  test("Backspace takes a rule back", async () => {
    await open(null);
    await type("# ");
    await editor.press("Backspace");
    await type("a");
    await expectValue([paragraph(text("# a"))]);
  });

  test("lists by keyboard: items, levels, the way out", async () => {
    await open(null);
    await type("- a");
    await editor.press("Enter", "Tab");
    await type("b");
    await editor.press("Enter", "Shift+Tab");
    await type("c");
    await editor.press("Enter", "Enter");
    await type("d");
    await expectValue(
      [list([item("a"), list([item("b")], { indentLevel: 1 }), item("c")], {}), paragraph(text("d"))].map(
        (block) => block,
      ),
    );
  });

  test("Tab leaves the editor, from a list after Escape", async () => {
    await open([paragraph(text("a"))]);
    const focused = (): Promise<string | undefined> => editor.page.evaluate(() => document.activeElement?.id);
    await editor.press("Tab");
    expect(await focused()).toBe("after");
    await open([list([item("a")])]);
    await editor.press("Tab");
    expect(await focused()).toStartWith("blocks-");
    await editor.press("Escape", "Tab");
    expect(await focused()).toBe("after");
    expect(await editor.value()).toBeUndefined();
  });

  test("one block is edited, and the JSON of the others stays", async () => {
    const value = [
      { id: 1, type: "paragraph", children: [text("a", { color: "red" }), text("b")] },
      { type: "table", rows: [["x"]], children: [] },
      { children: [text("c")], type: "paragraph" },
      { type: "image", image: { url: "/picture.png", own: 1 }, children: [text("")], width: "wide" },
    ];
    await open(value);
    await editor.press("End");
    await type("!");
    const first = { type: "paragraph", id: 1, children: [text("a", { color: "red" }), text("b!")] };
    await expectValue([first, ...value.slice(1)]);
    expect(JSON.stringify(await editor.value())).toBe(JSON.stringify([first, ...value.slice(1)]));
    await editor.press("Control+z");
    await expectValue(value);
    expect(JSON.stringify(await editor.value())).toBe(JSON.stringify(value));
  });

  test("HTML of other programs keeps headings, lists and links, and runs nothing", async () => {
    await open(null);
    await editor.paste({
      "text/plain": "Title",
      "text/html":
        "<h2>Title</h2><ul><li>a<ul><li>b</li></ul></li></ul>" +
        '<p>to <a href="https://e.com/">there</a><img src=x onerror="document.title=\'run\'"></p><script>document.title="run"</script>',
    });
    const link = { type: "link", url: "https://e.com/", children: [text("there")] };
    await expectValue([
      { type: "heading", level: 2, children: [text("Title")] },
      list([item("a"), list([item("b")], { indentLevel: 1 })]),
      paragraph(text("to "), link, text("")),
    ]);
    expect(await editor.page.title()).toBe("Editor");
    expect(await editor.page.evaluate(() => window.harness.errors)).toEqual([
      "The text was pasted without its images. Paste each image by itself",
    ]);
  });

  test("a line of text goes into the line", async () => {
    await open([paragraph(text("ac"))]);
    await editor.press("Home", "ArrowRight");
    await editor.paste({ "text/html": "<b>b</b>", "text/plain": "b" });
    await expectValue([paragraph(text("a"), text("b", { bold: true }), text("c"))]);
  });

  test("words that are typed before what reads HTML is loaded come after the paste", async () => {
    const slow = await EditorPage.open(browser, server);
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await slow.show("blocks", { value: [paragraph(text("start old end")), paragraph(text("last"))] });
    const isAsked = slow.page.waitForRequest("**/*.js");
    await slow.page.route("**/*.js", async (route) => {
      await isReleased;
      await route.continue();
    });
    await slow.press("Control+Home", ...Array(6).fill("ArrowRight"), ...Array(3).fill("Shift+ArrowRight"));
    await slow.paste({ "text/html": "<p>one</p><p>two</p>", "text/plain": "one two" });
    await isAsked;
    await slow.page.keyboard.type(", after");
    await slow.press("Control+End");
    await slow.paste({ "text/html": "<b>bold</b>" });
    await slow.page.keyboard.type("!");
    release();
    const bold = text("bold", { bold: true });
    await slow.expectValue([
      paragraph(text("start one")),
      paragraph(text("two, after end")),
      paragraph(text("last"), bold, text("!")),
    ]);
    await slow.page.keyboard.type("?");
    await slow.expectValue([
      paragraph(text("start one")),
      paragraph(text("two, after end")),
      paragraph(text("last"), bold, text("!?")),
    ]);
    await slow.page.context().close();
  });

  test("plain text: a paragraph for each line; into code as it is", async () => {
    await open(null);
    await editor.paste({ "text/plain": "a\r\nb" });
    await expectValue([paragraph(text("a")), paragraph(text("b"))]);
    await open([{ type: "code", language: null, children: [text("x")] }]);
    await editor.press("End");
    await editor.paste({ "text/plain": "a\r\n  b", "text/html": "<p>a</p><p>b</p>" });
    await expectValue([{ type: "code", language: null, children: [text("xa\n  b")] }]);
  });

  test("Markdown becomes blocks, and stays text with Shift and in code", async () => {
    const markdown = { "text/plain": "## a\n\n- b\n- **c**" };
    await open(null);
    await editor.paste(markdown);
    const bold = { type: "list-item", children: [text("c", { bold: true })] };
    await expectValue([{ type: "heading", level: 2, children: [text("a")] }, list([item("b"), bold])]);
    await editor.press("Control+z");
    await expectValue(null);
    await editor.page.keyboard.down("Shift");
    await editor.paste(markdown);
    await editor.page.keyboard.up("Shift");
    await expectValue([paragraph(text("## a")), paragraph(text("- b")), paragraph(text("- **c**"))]);
    await open([{ type: "code", children: [text("")] }]);
    await editor.paste(markdown);
    await expectValue([{ type: "code", children: [text(markdown["text/plain"])] }]);
  });

  test("text that is pasted into a list becomes items", async () => {
    await open([list([item("a")])]);
    await editor.press("End");
    await editor.paste({ "text/plain": "1\n2" });
    await expectValue([list([item("a1"), item("2")])]);
  });

  test("a URL over text becomes its link", async () => {
    await open([paragraph(text("there"))]);
    await editor.press("Control+a");
    await editor.paste({ "text/plain": "https://e.com/" });
    await expectValue([paragraph(text(""), link("https://e.com/", "there"), text(""))]);
  });

  test("blocks keep all of their JSON from editor to editor", async () => {
    const value = [
      { type: "paragraph", id: 1, children: [text("a", { color: "red" })] },
      { type: "table", rows: [1], children: [] },
    ];
    await open(value);
    await editor.press("Control+a", "Control+x");
    await expectValue(null);
    await open(null);
    await editor.press("Control+v");
    await expectValue(value);
  });

  test("what a hostile page wrote into the clipboard is refused or is content", async () => {
    await open(null);
    for (const data of ["{", "[]", '{"blocks":[]}', '{"blocks":"x"}', "null"]) {
      await editor.paste({ "application/x-galley-blocks": data });
    }
    await editor.paste({
      "application/x-galley-blocks": JSON.stringify({
        blocks: [paragraph({ type: "link", url: "javascript:alert(1)", children: [text("a")] })],
        openStart: 99,
        openEnd: -1,
      }),
    });
    expect(await editor.page.locator(".blocks-content a[href]").count()).toBe(0);
    expect(editor.complaints).toEqual([]);
  });

  test("the key after Ctrl+K goes to the form for the link", async () => {
    await open([paragraph(text("there"))]);
    await editor.press("Control+a");
    const focused = await editor.page.evaluate(() => {
      const key = { key: "k", ctrlKey: true, bubbles: true, cancelable: true };
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", key));
      // no promise may come between the two keys
      return document.activeElement?.getAttribute("aria-label");
    });
    expect(focused).toBe("URL");
  });

  test("links by keyboard", async () => {
    await open([paragraph(text("there"))]);
    await editor.press("Control+a", "Control+k");
    await type("javascript:alert(1)");
    await editor.press("Enter");
    expect(await editor.page.getByRole("alert").textContent()).toStartWith("A link begins with");
    await editor.press("Control+a");
    await type("e.com/");
    await editor.press("Enter");
    await expectValue([
      paragraph(text(""), { type: "link", url: "https://e.com/", children: [text("there")] }, text("")),
    ]);
    await editor.press("Control+k");
    await editor.page.getByRole("button", { name: "Remove link" }).press("Enter");
    await expectValue([paragraph(text("there"))]);
    await editor.press("Control+k", "Escape");
    await type("x");
    await expectValue([paragraph(text("x"))]);
  });

  test.each([
    ["e.com", "https://e.com"],
    ["e.com:81/a?b", "https://e.com:81/a?b"],
    ["münchen.example/ä", "https://münchen.example/ä"],
    ["ann@e.com", "mailto:ann@e.com"],
    ["/path", "/path"],
    ["tel:123", "tel:123"],
    ["a word", undefined],
    ["javascript:a.com", undefined],
  ])("%s that is typed as a link leads to %s", (typed, target) => {
    expect(typedTarget(typed)).toBe(target);
  });

  test("the toolbar: one stop for Tab, arrows between its buttons, and back into the text", async () => {
    await open([paragraph(text("a"))]);
    await editor.press("Control+a", "Shift+Tab");
    const focused = (): Promise<string | null | undefined> =>
      editor.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    expect(await focused()).toBe("Bold");
    await editor.press("ArrowRight", "ArrowRight");
    expect(await focused()).toBe("Underline");
    await editor.press("End");
    expect(await focused()).toBe("Redo");
    await editor.press("ArrowRight", "Enter");
    await expectValue([paragraph(text("a", { bold: true }))]);
    await editor.press("End");
    await type("b");
    await expectValue([paragraph(text("ab", { bold: true }))]);
    expect(await editor.page.getByRole("button", { name: "Bold" }).getAttribute("aria-pressed")).toBe("true");
  });

  test("the kind of block is chosen", async () => {
    await open([paragraph(text("a"))]);
    await selectOption(editor.page.getByLabel("Block type"), "Heading 3");
    await expectValue([{ type: "heading", level: 3, children: [text("a")] }]);
  });

  test("a slash opens a list of blocks, which typing searches and keys choose from", async () => {
    await open(null);
    const options = editor.page.getByRole("option");
    const content = editor.page.locator(".blocks-content");
    await type("/");
    await options.first().waitFor();
    expect(await options.first().textContent()).toBe("Paragraph");
    expect(await findProblems(editor.page)).toEqual([]);
    await type("head");
    await editor.press("ArrowDown");
    await options.and(editor.page.locator("[data-highlighted]")).getByText("Heading 2").waitFor();
    const active = await content.getAttribute("aria-activedescendant");
    expect(await editor.page.locator(`[id="${active}"]`).textContent()).toBe("Heading 2");
    await editor.press("Enter");
    await type("a");
    await expectValue([{ type: "heading", level: 2, children: [text("a")] }]);
    await editor.press("Enter");
    await type("/bul");
    await options.first().click();
    await type("b");
    await expectValue([{ type: "heading", level: 2, children: [text("a")] }, list([item("b")])]);
    expect(await options.count()).toBe(0);
  });

  test("a slash is a letter where nothing matches, after Escape, in a text, and without a cursor at it", async () => {
    await open(null);
    const options = editor.page.getByRole("option");
    await type("/");
    await options.first().waitFor();
    await editor.press("Escape");
    await options.first().waitFor({ state: "detached" });
    await type("etc");
    await editor.press("Enter");
    await type("and/or");
    await editor.press("Enter");
    await type("/nothing");
    await editor.press("Enter", "ArrowUp", "ArrowUp", "ArrowUp");
    expect(await options.count()).toBe(0);
    await expectValue([
      paragraph(text("/etc")),
      paragraph(text("and/or")),
      paragraph(text("/nothing")),
      paragraph(text("")),
    ]);
    await open([paragraph(text("/h"))], { readOnly: true } as OpenOptions);
    expect(await options.count()).toBe(0);
  });

  test("blocks and items are moved with keys, and back again", async () => {
    const value = [paragraph(text("a")), paragraph(text("b")), list([item("c"), item("d")])];
    await open(value);
    // the browser tells later where its keys have moved the cursor to
    const drawn = (): Promise<unknown> =>
      editor.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await editor.press("Control+Home");
    await drawn();
    await editor.press("Alt+ArrowDown");
    await type("1");
    await expectValue([paragraph(text("b")), paragraph(text("1a")), list([item("c"), item("d")])]);
    // at the ends nothing happens
    await editor.press("Alt+ArrowUp", "Alt+ArrowUp");
    await expectValue([paragraph(text("1a")), paragraph(text("b")), list([item("c"), item("d")])]);
    await editor.press("Control+End");
    await drawn();
    await editor.press("Alt+ArrowUp", "Alt+ArrowUp");
    await expectValue([paragraph(text("1a")), paragraph(text("b")), list([item("d"), item("c")])]);
    await editor.press("Control+z");
    await expectValue([paragraph(text("1a")), paragraph(text("b")), list([item("c"), item("d")])]);
    // both that are selected
    await editor.press("Control+Home", "Shift+ArrowDown");
    await drawn();
    await editor.press("Alt+ArrowDown");
    await expectValue([list([item("c"), item("d")]), paragraph(text("1a")), paragraph(text("b"))]);
  });

  describe("a block's handle", () => {
    const value = [
      { type: "heading", level: 1, id: 7, children: [text("a")] },
      paragraph(text("b"), link("/b", "b")),
      list([item("c"), item("d")], { extra: 1 }),
      { type: "image", image: { url: "/picture.png" }, children: [text("")] },
      { type: "todo" },
    ];
    const handle = () => editor.page.locator(".block-handle");
    const block = (index: number) => editor.page.locator(`.ProseMirror > :nth-child(${index + 1})`);
    /** The pointer comes to the middle of a block, and presses on the handle. */
    const take = async (index: number): Promise<void> => {
      await block(index).hover();
      const [{ y, height }, box] = [(await handle().boundingBox())!, (await block(index).boundingBox())!];
      expect(y + height / 2).toBeGreaterThan(box.y);
      expect(y + height / 2).toBeLessThan(box.y + box.height);
      await handle().hover();
      await editor.page.mouse.down();
    };
    /** Moves the pointer to a part of a block's height, or below it. */
    const moveTo = async (index: number, part: number): Promise<void> => {
      const { x, y, height } = (await block(index).boundingBox())!;
      await editor.page.mouse.move(x - 10, y + height * part, { steps: 4 });
    };
    const expectOrder = async (...order: readonly number[]): Promise<void> => {
      await expectValue(order.map((index) => value[index]));
      expect(JSON.stringify(await editor.value())).toBe(JSON.stringify(order.map((index) => value[index])));
    };

    test("drags it to other places, with a line where it goes, and undo takes it back", async () => {
      await open(value);
      await take(0);
      await moveTo(2, 0.75);
      expect(await editor.page.locator(".block-drop").isVisible()).toBe(true);
      await editor.page.mouse.up();
      await expectOrder(1, 2, 0, 3, 4);
      expect(await editor.page.locator(".block-drop").isVisible()).toBe(false);
      // just below the last one
      await take(1);
      await moveTo(4, 1.2);
      await editor.page.mouse.up();
      await expectOrder(1, 0, 3, 4, 2);
      await take(4);
      await moveTo(0, 0.1);
      await editor.page.mouse.up();
      await expectOrder(2, 1, 0, 3, 4);
      await editor.press("Control+z", "Control+z", "Control+z");
      await expectOrder(0, 1, 2, 3, 4);
    });

    test("leaves it where it is after Escape, and where it was dropped on itself", async () => {
      await open(value);
      for (const give of [() => editor.press("Escape"), () => moveTo(1, 0.9)]) {
        await take(1);
        await moveTo(4, 0.9);
        await give();
        await editor.page.mouse.up();
        expect(await editor.page.locator(".block-drop").isVisible()).toBe(false);
      }
      expect(await editor.value()).toBeUndefined();
    });

    test("selects it with a click, for keys that move or delete it", async () => {
      await open(value);
      await take(3);
      await editor.page.mouse.up();
      await editor.press("Alt+ArrowUp", "Delete");
      await expectOrder(0, 1, 2, 4);
    });

    test("is at the block with the cursor, and nowhere without focus or in text that is read", async () => {
      await open(value);
      await editor.page.mouse.move(5, 5);
      await editor.press("Control+Home", "ArrowDown");
      const middle = async (shown: Locator): Promise<number> => {
        const { y, height } = (await shown.boundingBox())!;
        return Math.round(y + height / 2);
      };
      expect(Math.abs((await middle(handle())) - (await middle(block(1))))).toBeLessThan(3);
      await editor.page.locator("#after").focus();
      expect(await handle().isVisible()).toBe(false);
      await open(value, { readOnly: true });
      await block(1).hover();
      expect(await handle().isVisible()).toBe(false);
    });
  });

  test("images of the library, and their texts", async () => {
    await open([paragraph(text("a"))]);
    await editor.page.getByRole("button", { name: "Image" }).click();
    await editor.page.getByLabel("Alternative text").fill("A ferry");
    const [, block] = (await editor.value()) as { type: string; image: Record<string, unknown>; children: unknown }[];
    expect(block).toMatchObject({ type: "image", children: [text("")] });
    expect(block!.image).toMatchObject({ url: "/picture.png", alternativeText: "A ferry", hash: "ferry" });
    expect(block!.image).not.toHaveProperty("id");
    expect(editor.complaints).toEqual([]);
  });

  test("the language of code", async () => {
    await open([{ type: "code", children: [text("a")] }]);
    await editor.page.getByLabel("Language").fill("sql");
    await expectValue([{ type: "code", children: [text("a")], language: "sql" }]);
  });

  test("a value from outside keeps the cursor in the block that stays, and reports no change", async () => {
    await open([paragraph(text("a")), paragraph(text("b"))]);
    await editor.press("Control+End");
    const next = [paragraph(text("new")), paragraph(text("a")), paragraph(text("b"))];
    await editor.page.evaluate((value) => window.harness.editor.update({ value }), next);
    expect(await editor.value()).toBeUndefined();
    await type("!");
    await expectValue([paragraph(text("new")), paragraph(text("a")), paragraph(text("b!"))]);
  });

  test("read-only text can be read and copied, not changed", async () => {
    await open([paragraph(text("a"))], { readOnly: true });
    await type("b");
    await editor.press("Control+a", "Delete", "Control+b");
    await editor.paste({ "text/plain": "c" });
    expect(await editor.value()).toBeUndefined();
    expect(await editor.page.getByRole("textbox", { name: "Body" }).getAttribute("aria-readonly")).toBe("true");
  });

  test.each(["light", "dark"] as const)("axe finds nothing, %s", async (scheme) => {
    const page = await EditorPage.open(browser, server, scheme);
    await page.show("blocks", {
      value: [
        { type: "heading", level: 2, children: [text("a")] },
        paragraph(text("a"), { type: "link", url: "/b", children: [text("b")] }, text("c", { code: true })),
        list([item("a"), list([item("b")], { indentLevel: 1 }), { type: "todo" }]),
        { type: "quote", children: [text("q")] },
        { type: "code", language: "ts", children: [text("q")] },
        { type: "image", image: { url: "/picture.png" }, children: [text("")] },
        { type: "table" },
      ],
    });
    await page.press("Control+k");
    expect(await findProblems(page.page)).toEqual([]);
    expect(page.complaints).toEqual([]);
    await page.page.context().close();
  });
});
