/** Commands of the blocks editor, on documents without a browser. The cursor is where `|` stands in a text. */
import { describe, expect, test } from "bun:test";
import type { Node } from "prosemirror-model";
import { EditorState, TextSelection } from "prosemirror-state";
import { type Change, indent, outdent, setBlock, toggleList } from "../../../src/ui/editors/blocks/block-commands.ts";
import { readBlocks } from "../../../src/ui/editors/blocks/read.ts";
import { nodes } from "../../../src/ui/editors/blocks/schema.ts";
import { breakOrLeave, leaveList, resetBlock } from "../../../src/ui/editors/blocks/text-commands.ts";
import { writeBlocks } from "../../../src/ui/editors/blocks/write.ts";

/** `p one`, `h2 title`, or lists of `* item`, `1 item`, indented by two spaces a level. */
function createBlocks(lines: readonly string[]): unknown[] {
  const text = (value: string) => [{ type: "text", text: value }];
  const built: unknown[] = [];
  const open: { children: unknown[] }[] = [];
  for (const line of lines) {
    const [, spaces = "", sign = "", words = ""] = /^( *)(\S+) ?(.*)$/.exec(line) ?? [];
    if (sign !== "*" && sign !== "1") {
      open.length = 0;
      const block = sign.startsWith("h") ? { type: "heading", level: Number(sign[1]) } : { type: "paragraph" };
      built.push({ ...block, children: text(words) });
      continue;
    }
    const depth = spaces.length / 2;
    open.length = Math.min(open.length, depth + 1);
    while (open.length <= depth) {
      const list = {
        type: "list",
        format: sign === "1" ? "ordered" : "unordered",
        ...(open.length > 0 ? { indentLevel: open.length } : {}),
        children: [],
      };
      (open.at(-1)?.children ?? built).push(list);
      open.push(list);
    }
    open.at(-1)!.children.push({ type: "list-item", children: text(words) });
  }
  return built;
}

interface Block {
  readonly type: string;
  readonly level?: number;
  readonly format?: string;
  readonly indentLevel?: number;
  readonly children: readonly (Block & { readonly text: string })[];
}

function listLines(blocks: readonly Block[], depth = -1, sign = ""): string[] {
  return blocks.flatMap((block) => {
    if (block.type === "list") {
      expect(block.indentLevel ?? 0).toBe(depth + 1);
      return listLines(block.children, depth + 1, block.format === "ordered" ? "1" : "*");
    }
    const name = block.type === "list-item" ? sign : block.type === "heading" ? `h${block.level}` : block.type[0];
    return [`${"  ".repeat(Math.max(0, depth))}${name} ${block.children.map(({ text }) => text).join("")}`];
  });
}

/** Where the first and the last `|` stand, which are taken out of the document. */
function createState(lines: readonly string[]): EditorState {
  const marked = readBlocks(createBlocks(lines));
  const places: number[] = [];
  marked.descendants((node, position) => {
    for (const { index } of node.text?.matchAll(/\|/g) ?? []) places.push(position + index - places.length);
  });
  const doc: Node = readBlocks(createBlocks(lines.map((line) => line.replaceAll("|", ""))));
  return EditorState.create({ doc, selection: TextSelection.create(doc, places[0] ?? 1, places.at(-1) ?? 1) });
}

/** The lines after the change, with the cursor; undefined: there was none. */
function after(lines: readonly string[], change: Change): string[] | undefined {
  const { tr } = createState(lines);
  if (!change(tr)) return undefined;
  tr.doc.check();
  const { from, to } = tr.selection;
  const { doc } = to === from ? tr.insertText("|", from) : tr.insertText("|", to).insertText("|", from);
  return listLines(writeBlocks(doc) as Block[]);
}

const cases: readonly (readonly [name: string, change: Change, before: string[], after: string[] | undefined])[] = [
  ["the first item is not indented", indent, ["* |a", "* b"], undefined],
  ["a paragraph is not indented", indent, ["p |a"], undefined],
  ["an item goes below the one before it", indent, ["* a", "* b|", "* c"], ["* a", "  * b|", "* c"]],
  ["an item joins the list below the one before it", indent, ["1 a", "  * x", "1 |b"], ["1 a", "  * x", "  * |b"]],
  [
    "an item takes what is below it along",
    indent,
    ["* a", "* |b", "  * c", "* d"],
    ["* a", "  * |b", "    * c", "* d"],
  ],
  ["several items go together", indent, ["* a", "* b|b", "* c|c", "* d"], ["* a", "  * b|b", "  * c|c", "* d"]],
  ["a new list has the format of its own", indent, ["1 a", "1 |b"], ["1 a", "  1 |b"]],
  ["an item leaves its list", outdent, ["* a", "  * |b", "* c"], ["* a", "* |b", "* c"]],
  ["items after it stay below it", outdent, ["* a", "  * |b", "  * c"], ["* a", "* |b", "  * c"]],
  ["an item of an outermost list becomes a paragraph", outdent, ["* a", "* |b", "* c"], ["* a", "p |b", "* c"]],
  ["what is below it moves up, too", outdent, ["* a", "* |b", "  * c"], ["* a", "p |b", "* c"]],
  ["a paragraph stays", outdent, ["p |a"], undefined],
  ["paragraphs become one list", toggleList("unordered"), ["p |a", "p b|", "p c"], ["* |a", "* b|", "p c"]],
  ["a list goes on where one is beside it", toggleList("ordered"), ["1 a", "p |b"], ["1 a", "1 |b"]],
  ["lists of another format stay apart", toggleList("ordered"), ["* a", "p |b"], ["* a", "1 |b"]],
  ["a list becomes paragraphs again", toggleList("unordered"), ["* |a", "* b|", "* c"], ["p |a", "p b|", "* c"]],
  ["a list changes its format", toggleList("ordered"), ["* a", "* |b"], ["1 a", "1 |b"]],
  ["only the innermost list changes", toggleList("ordered"), ["* a", "  * |b", "* c"], ["* a", "  1 |b", "* c"]],
  ["a paragraph becomes a heading", setBlock(nodes.heading, { level: 2 }), ["p |a", "p b"], ["h2 |a", "p b"]],
  [
    "an item becomes a heading between two lists",
    setBlock(nodes.heading, { level: 3 }),
    ["* a", "* b|", "* c"],
    ["* a", "h3 b|", "* c"],
  ],
  [
    "blocks of many kinds become paragraphs",
    setBlock(nodes.paragraph),
    ["h1 |a", "* b", "  1 c", "p d|"],
    ["p |a", "p b", "p c", "p d|"],
  ],
];

test.each(cases)("%s", (_name, change, before, expected) => {
  expect(after(before, change)).toEqual(expected as string[]);
});

describe("keys", () => {
  const run = (lines: readonly string[], command: typeof leaveList): string[] | undefined => {
    let result: string[] | undefined;
    command(createState(lines), ({ doc }) => {
      result = listLines(writeBlocks(doc) as Block[]);
    });
    return result;
  };

  test("Enter in an item without text leaves the list", () => {
    expect(run(["* a", "* |"], leaveList)).toEqual(["* a", "p "]);
    expect(run(["* a", "  * |"], leaveList)).toEqual(["* a", "* "]);
    expect(run(["* a|"], leaveList)).toBeUndefined();
  });

  test("Backspace at the beginning makes a paragraph of headings and items", () => {
    expect(run(["h2 |a"], resetBlock)).toEqual(["p a"]);
    expect(run(["* a", "* |b"], resetBlock)).toEqual(["* a", "p b"]);
    expect(run(["p |a"], resetBlock)).toBeUndefined();
    expect(run(["h2 a|"], resetBlock)).toBeUndefined();
  });

  test("Enter in a quote breaks the line, and leaves after an empty one", () => {
    const doc = readBlocks([{ type: "quote", children: [{ type: "text", text: "a" }] }]);
    let state = EditorState.create({ doc, selection: TextSelection.create(doc, 2) });
    const enter = (): boolean =>
      breakOrLeave(state, (transaction) => {
        state = state.apply(transaction);
      });
    expect(enter()).toBe(true);
    expect(writeBlocks(state.doc)).toEqual([{ type: "quote", children: [{ type: "text", text: "a\n" }] }]);
    enter();
    expect(writeBlocks(state.doc)).toEqual([
      { type: "quote", children: [{ type: "text", text: "a" }] },
      { type: "paragraph", children: [{ type: "text", text: "" }] },
    ]);
    expect(enter()).toBe(false);
  });
});

test("blocks change their type with all that they have, line breaks and unknown keys included", () => {
  const doc = readBlocks([
    { type: "code", id: 4, language: "c", children: [{ type: "text", text: "a\nb", bold: true }] },
  ]);
  const { tr } = EditorState.create({ doc });
  setBlock(nodes.paragraph)(tr);
  expect(tr.doc.firstChild?.childCount).toBe(3);
  expect(writeBlocks(tr.doc)).toEqual([
    { type: "paragraph", id: 4, children: [{ type: "text", text: "a\nb", bold: true }] },
  ]);
  setBlock(nodes.code_block)(tr);
  expect(writeBlocks(tr.doc)).toEqual([
    { type: "code", id: 4, language: null, children: [{ type: "text", text: "a\nb", bold: true }] },
  ]);
});
