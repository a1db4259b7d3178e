/** HTML of the clipboard as blocks: its structure is kept, and nothing of it is run. */
import { describe, expect, test } from "bun:test";
import { markdownBlocks } from "../../../src/ui/editors/blocks/from-markdown.ts";
import { htmlBlocks } from "../../../src/ui/editors/blocks/html.ts";
import { threadTime } from "../../processor-time.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly level?: number;
  readonly format?: string;
  readonly language?: string;
  readonly children?: readonly Block[];
}

/** A short form: `heading2(one)`, `unordered[item(a)]`, `b:bold text`, `<url>text`. */
function short({ type, text = "", url, level, format, language, children = [], ...styles }: Block): string {
  const inner = children.map(short);
  if (type === "text") return `${Object.keys(styles).map((style) => `${style}:`)}${text}`;
  if (type === "link") return `<${url}>${inner.join("")}`;
  if (type === "list") return `${format}[${inner.join(" ")}]`;
  const name = `${type === "list-item" ? "item" : type}${level ?? ""}${language ? `-${language}` : ""}`;
  return `${name}(${inner.join("|").replace(/\|?\n\|?/g, "\\n")})`;
}

const blocksOf = (html: string): string => (htmlBlocks(html)!.blocks as Block[]).map(short).join(" ");

test.each([
  ["paragraphs", "<p>one</p>\n<p>two  three</p>", "paragraph(one) paragraph(two three)"],
  ["headings", "<h1>a</h1><h6>b</h6>", "heading1(a) heading6(b)"],
  [
    "styles",
    "<p>a <b>b</b><i>c</i><u>d</u><s>e</s><code>f</code></p>",
    "paragraph(a |bold:b|italic:c|underline:d|strikethrough:e|code:f)",
  ],
  ["styles in CSS", '<p><span style="font-weight: 700; font-style: italic">a</span></p>', "paragraph(bold:,italic:a)"],
  ["bold that is none", '<b style="font-weight:normal"><p>a</p></b>', "paragraph(a)"],
  ["links", '<p>a <a href="https://e.com/x?y=1&amp;z=2">b</a></p>', "paragraph(a |<https://e.com/x?y=1&z=2>b)"],
  ["lists", "<ul><li>a</li><li>b</li></ul>", "unordered[item(a) item(b)]"],
  ["nested lists", "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "ordered[item(a) unordered[item(b)] item(c)]"],
  ["lists beside their items", "<ul><li>a</li><ul><li>b</li></ul></ul>", "unordered[item(a) unordered[item(b)]]"],
  ["paragraphs in items", "<ul><li><p>a</p><p>b</p></li></ul>", "unordered[item(a\\nb)]"],
  [
    "lists of Word, which are paragraphs",
    [
      ["l0 level1", "·", "a"],
      ["l0 level2", "o", "b"],
      ["l0 level1", "§", "c"],
      ["l1 level1", "1.", "d"],
      ["l1 level1", "2.", "e"],
    ]
      .map(
        ([list, marker, words]) =>
          `<p class=MsoListParagraph style='text-indent:-18pt;mso-list:${list} lfo1'><![if !supportLists]><span style='font-family:Symbol'>` +
          `<span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${words}<o:p></o:p></p>`,
      )
      .join("\n"),
    "unordered[item(a) unordered[item(b)] item(c)] ordered[item(d) item(e)]",
  ],
  ["quotes of paragraphs", "<blockquote><p>a</p><p>b</p></blockquote><p>c</p>", "quote(a\\nb) paragraph(c)"],
  ["code", '<pre><code class="language-ts">a\n  b\n</code></pre>', "code-ts(a\\n  b)"],
  [
    "code of other editors, whose lines are elements",
    '<meta charset="utf-8"><div style="color: #000;white-space: pre;"><div><span>if (a) {</span></div><br><div><span>  b</span></div>\n<div>}</div></div>',
    "code(if (a) {\\n\\n  b\\n})",
  ],
  ["text that is only kept in its lines", '<p><span style="white-space: pre-wrap">a</span></p>', "paragraph(a)"],
  ["breaks", "<p>a<br>b<br></p>", "paragraph(a\\nb)"],
  [
    "tables, with empty cells, and cells over several columns",
    "<table><tr><td colspan=3>Head</td></tr><tr><td>a</td><td></td><td><b>b</b></td></tr><tr><td></td><td>c</td><td></td></tr>" +
      "<tr><td></td><td> </td></tr></table>",
    "paragraph(Head) paragraph(a| | | | |bold:b) paragraph( | |c)",
  ],
  [
    "tables of Word, whose cells are paragraphs",
    "<table class=MsoTableGrid border=1><tr style='mso-yfti-irow:0'><td width=10 valign=top><p class=MsoNormal>One<br>more<o:p></o:p></p><p>b</p></td>" +
      "<td><h2>c</h2></td></tr><tr><td><p class=MsoListParagraph style='mso-list:l0 level1 lfo1'>d</p></td><td><ul><li>e<li>f</ul></td></tr></table><p>after</p>",
    "paragraph(One| |more| |b| | |c) paragraph(d| | |e| |f) paragraph(after)",
  ],
  [
    "tables of Sheets",
    '<google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #ccc;}--></style><table xmlns="http://www.w3.org/1999/xhtml" ' +
      'data-sheets-root="1"><colgroup><col width="100"/></colgroup><tbody><tr><td data-sheets-value="{}">Name</td><td>Age</td></tr><tr><td>Ada</td><td>36</td></tr></tbody></table>',
    "paragraph(Name| | |Age) paragraph(Ada| | |36)",
  ],
  [
    "tables for layout, which are around others or have one column",
    "<table><tr><td><table><tr><td><p>a</p><p>b</p></td></tr></table></td><td><h1>c</h1></td></tr></table>",
    "paragraph(a) paragraph(b) heading1(c)",
  ],
  [
    "tables in items of lists",
    "<ul><li>a<table><tr><td>b</td><td>c</td></tr></table></li></ul>",
    "unordered[item(a\\nb| | |c)]",
  ],
  ["text between blocks", "a<div>b</div>c", "paragraph(a) paragraph(b) paragraph(c)"],
  ["spaces between elements", "<p> a <b> b </b> c </p>", "paragraph(a |bold:b |c)"],
  ["entities", "<p>&lt;b&gt; &eacute;</p>", "paragraph(<|b|>| |é)"],
  [
    "elements that are not closed",
    "<ul><li>a<li>b</ul><p>c<p>d",
    "unordered[item(a) item(b)] paragraph(c) paragraph(d)",
  ],
])("%s", (_name, html, expected) => {
  expect(blocksOf(html)).toBe(expected);
});

describe("what is left out", () => {
  test.each([
    ["scripts", "<script>alert(1)</script><p>a</p>"],
    ["styles", "<style>p{}</style><p>a</p>"],
    ["the head", "<html><head><title>t</title></head><body><p>a</p></body></html>"],
    ["comments", "<!--StartFragment--><p>a</p><!--EndFragment-->"],
    ["handlers and images", '<p onclick="alert(1)">a<img src=x onerror="alert(1)"></p>'],
    ["links that run code", '<p><a href="javascript:alert(1)">a</a></p>'],
    ["empty paragraphs", "<p></p><p> </p><p>a</p>"],
    ["frames, drawings and buttons", "<iframe><p>b</p></iframe><svg><text>c</text></svg><p>a<button>d</button></p>"],
  ])("%s", (_name, html) => {
    expect(blocksOf(html)).toBe("paragraph(a)");
  });
});

describe("text that is Markdown", () => {
  const markdown = (text: string) => (markdownBlocks(text)?.blocks as Block[] | undefined)?.map(short).join(" ");

  test.each([
    [
      "headings and styles",
      "# a\n\n**b** *c* ~~d~~ `e` [f](https://e.com)",
      "heading1(a) paragraph(bold:b| |italic:c| |strikethrough:d| |code:e| |<https://e.com>f)",
    ],
    ["lists, in which boxes stay text", "- [x] a\n  1. b\n- c", "unordered[item([x] a) ordered[item(b)] item(c)]"],
    ["code and quotes", "```ts\na\n\n  b\n```\n\n> c\n> d", "code-ts(a\\n\\n  b) quote(c\\nd)"],
    ["tables", "| a | b |\n|---|---|\n| c | d |", "paragraph(a| | |b) paragraph(c| | |d)"],
    ["numbers that do not begin with one", "3. a\n4. **b**", "paragraph(3. a) paragraph(4. |bold:b)"],
    ["line ends and HTML, which stay as they are", "**a**\nb <br> c", "paragraph(bold:a\\nb |<|br|>| c)"],
  ])("%s", (_name, text, expected) => {
    expect(markdown(text)).toBe(expected);
  });

  test.each([
    ["words", "a\nb"],
    ["a year", "2024. It was"],
    ["a dash", "- Yes"],
    ["a URL", "https://e.com/a_b_c"],
    ["a name, and a product", "snake_case_name, 2 * 3 * 4"],
    ["deep quotes", "> ".repeat(50_000)],
    ["deep lists", `- a\n- b\n${"- ".repeat(30)}`],
    ["long lines", "*a* ".repeat(20_000)],
  ])("%s: no Markdown, or too much", (_name, text) => {
    expect(markdown(text)).toBeUndefined();
  });
});

test("text without blocks is part of a line", () => {
  expect(htmlBlocks("a <b>b</b>")?.isInline).toBe(true);
  expect(htmlBlocks("<p>a</p>")?.isInline).toBe(false);
});

describe("what would take too long is refused", () => {
  test.each([
    ["large", `<p>${"a".repeat(2_000_001)}</p>`],
    ["nested", "<div>".repeat(100_000)],
    ["nested lists", "<ul><li>".repeat(100_000)],
    ["nested tables", "<table><tr><td>a".repeat(100_000)],
  ])("%s", (_name, html) => {
    const start = threadTime();
    expect(htmlBlocks(html)).toBeUndefined();
    expect(threadTime() - start).toBeLessThan(5_000);
  });

  test("columns that cells only claim to span", () => {
    const html = `<table>${"<tr><td colspan=1000000000>a<td>b".repeat(2_000)}</table>`;
    expect(JSON.stringify(htmlBlocks(html)).length).toBeLessThan(1_500_000);
  });

  test("lists deeper than an editor shows are flat", () => {
    expect(blocksOf("<ul><li>a".repeat(40))).toEndWith(`${"item(a) ".repeat(30)}${"]".repeat(11)}`.replace(" ]", "]"));
  });
});
