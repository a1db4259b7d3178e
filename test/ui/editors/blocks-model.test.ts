/** Blocks through the model of the editor: what nobody edits stays byte for byte what it was. */
import { describe, expect, test } from "bun:test";
import { type Node, Slice } from "prosemirror-model";
import { EditorState, type Transaction } from "prosemirror-state";
import { readBlock, readBlocks } from "../../../src/ui/editors/blocks/read.ts";
import { nodes } from "../../../src/ui/editors/blocks/schema.ts";
import { writeBlocks, writeValue } from "../../../src/ui/editors/blocks/write.ts";
import { Random } from "../../random.ts";
import { randomBlocks } from "./random-blocks.ts";

const json = (value: unknown): string => JSON.stringify(value);
const text = (value: string, rest: object = {}): object => ({ type: "text", text: value, ...rest });
const paragraph = (...children: object[]): object => ({ type: "paragraph", children });

/** The value after an edit of the document that another value was read as. */
function edited(value: readonly unknown[], edit: (transaction: Transaction) => Transaction): unknown {
  const doc = readBlocks(value);
  const { tr } = EditorState.create({ doc });
  return writeValue(edit(tr).doc, { value, doc });
}

/** Where the text of each block begins that has text of its own. */
function textStarts(doc: Node): { block: number; position: number }[] {
  const starts: { block: number; position: number }[] = [];
  doc.forEach((top, offset, block) => {
    top.descendants((node, position) => {
      if (node.isTextblock) starts.push({ block, position: offset + position + 2 });
    });
    if (top.isTextblock) starts.push({ block, position: offset + 1 });
  });
  return starts;
}

test("a long value in parts is valid, written as it was read, and keeps all blocks but the one that is edited", () => {
  const random = new Random(20_261_127);
  const value: unknown[] = [];
  while (value.length < 1_000) value.push(...randomBlocks(random));
  const doc = readBlocks(value);
  doc.check();
  expect(doc.children.filter((node) => node.marks.length > 0).length).toBeGreaterThan(value.length / 2);
  expect(writeBlocks(doc)).toEqual(value);
  for (let edits = 0; edits < 50; edits++) {
    const { block, position } = random.pick(textStarts(doc));
    const after = edited(value, (transaction) => transaction.insertText("edited ", position)) as unknown[];
    expect(after.flatMap((one, index) => (one === value[index] ? [] : [index]))).toEqual([block]);
  }
  // half of a part comes into a list, which must stay valid
  const { tr } = EditorState.create({
    doc: readBlocks([{ type: "list", format: "ordered", children: [{ type: "list-item", children: [text("")] }] }]),
  });
  tr.replace(2, 2, doc.slice(0, doc.content.size / 2)).doc.check();
});

describe("20,000 random values", () => {
  const random = new Random(20_261_122);
  const values = Array.from({ length: 20_000 }, () => randomBlocks(random));

  // one expectation for all of them: 20,000 take longer than what they check
  const failures = (isRight: (value: readonly unknown[]) => boolean, count = values.length): string[] =>
    values.slice(0, count).flatMap((value) => (isRight(value) ? [] : [json(value)]));

  test("are written as they were read", () => {
    const isSame = (value: readonly unknown[]): boolean => {
      const doc = readBlocks(value);
      doc.check();
      const written = value.length === 0 ? writeValue(doc, { value, doc }) : writeBlocks(doc);
      return json(written) === json(value);
    };
    expect(failures(isSame)).toEqual([]);
  });

  test("keep all blocks but the one that is edited", () => {
    let edits = 0;
    const isKept = (value: readonly unknown[]): boolean => {
      const starts = textStarts(readBlocks(value));
      if (starts.length === 0 || value.length === 0) return true;
      const { block, position } = random.pick(starts);
      const after = edited(value, (transaction) => transaction.insertText("edited ", position)) as unknown[];
      edits++;
      return (
        after.length === value.length &&
        json(after[block]).includes("edited ") &&
        value.every((item, index) => index === block || json(after[index]) === json(item))
      );
    };
    expect(failures(isKept)).toEqual([]);
    expect(edits).toBeGreaterThan(10_000);
  });

  test("lose no key of the block that is edited", () => {
    const keysOf = (value: unknown): string => json(Object.keys(value as object).sort());
    const isKept = (value: readonly unknown[]): boolean => {
      const [start] = value.length === 0 ? [] : textStarts(readBlocks(value));
      if (!start) return true;
      const { block, position } = start;
      const after = edited(value, (transaction) => transaction.insertText("edited ", position)) as unknown[];
      return keysOf(after[block]) === keysOf(value[block]);
    };
    expect(failures(isKept, 5_000)).toEqual([]);
  });

  test("written without their sources are read as the same document", () => {
    const withoutSource = (node: Node): Node => {
      if (node.isText || node.type === nodes.unknown_inline || node.type === nodes.unknown_block) return node;
      const content = node.children.map(withoutSource);
      return node.type.create({ ...node.attrs, source: null }, content, node.marks);
    };
    const isSame = (value: readonly unknown[]): boolean => {
      const plain = withoutSource(readBlocks(value));
      // as text: the marks of links have sources, too
      return withoutSource(readBlocks(writeBlocks(plain))).toString() === plain.toString();
    };
    expect(failures(isSame, 5_000)).toEqual([]);
  });

  test("are what they were when an edit has been taken back", () => {
    const isSame = (value: readonly unknown[]): boolean => {
      const [start] = textStarts(readBlocks(value));
      if (!start) return true;
      const { position } = start;
      const after = edited(value, (transaction) =>
        transaction.insertText("x", position).delete(position, position + 1),
      );
      return json(after) === json(value);
    };
    expect(failures(isSame, 5_000)).toEqual([]);
  });
});

describe("a changed block", () => {
  test("keeps keys of texts, links and itself", () => {
    const value = [
      {
        type: "paragraph",
        id: "p1",
        children: [
          text("one ", { color: "red" }),
          { type: "link", url: "/a", rel: "nofollow", children: [text("two")] },
          text(" three", { bold: true }),
        ],
      },
    ];
    expect(edited(value, (transaction) => transaction.insertText("!", 14))).toEqual([
      {
        type: "paragraph",
        id: "p1",
        children: [
          text("one ", { color: "red" }),
          { type: "link", url: "/a", rel: "nofollow", children: [text("two")] },
          text(" three!", { bold: true }),
        ],
      },
    ]);
  });

  test("has texts around its links, as Strapi's editor writes them", () => {
    const link = { type: "link", url: "/a", children: [text("link")] };
    const value = [paragraph(text("a"))];
    const after = edited(value, (transaction) =>
      transaction.replace(1, 2, new Slice(readBlock(paragraph(link, text(""))).content, 0, 0)),
    );
    expect(after).toEqual([paragraph(text(""), link, text(""))]);
  });

  test("splits into halves of which one keeps the unknown keys", () => {
    const value = [{ type: "paragraph", id: 7, children: [text("onetwo")] }];
    expect(edited(value, (transaction) => transaction.split(4))).toEqual([
      { type: "paragraph", id: 7, children: [text("one")] },
      paragraph(text("two")),
    ]);
  });

  test("keeps its JSON when an empty block is split off before it", () => {
    const value = [{ id: 7, children: [text("one")], type: "paragraph" }];
    const after = edited(value, (transaction) => transaction.split(1)) as unknown[];
    expect(after).toEqual([paragraph(text("")), value[0]!]);
    expect(after[1]).toBe(value[0]);
  });

  test("drops what only its former type has", () => {
    const value = [{ type: "heading", level: 2, anchor: "x", children: [text("one")] }];
    const after = edited(value, (transaction) =>
      transaction.setBlockType(1, 1, nodes.paragraph, (node: Node) => ({ source: node.attrs.source })),
    );
    expect(json(after)).toBe(json([{ type: "paragraph", anchor: "x", children: [text("one")] }]));
  });

  test("leaves the other items of a list alone", () => {
    const items = ["a", "b", "c"].map((word) => ({ children: [text(word)], type: "list-item", id: word }));
    const value = [{ type: "list", format: "ordered", indentLevel: 0, children: items }];
    const [list] = edited(value, (transaction) => transaction.insertText("!", 3)) as { children: unknown[] }[];
    expect(list!.children[0]).toEqual({ ...items[0]!, children: [text("a!")] });
    expect(list!.children.slice(1)).toEqual(items.slice(1));
    expect(list!.children[2]).toBe(items[2]);
  });

  test("has line breaks as Strapi has them", () => {
    const value = [paragraph(text("a\nb", { bold: true }))];
    expect(readBlocks(value).firstChild!.childCount).toBe(3);
    expect(edited(value, (transaction) => transaction.insertText("!", 4))).toEqual([
      paragraph(text("a\nb!", { bold: true })),
    ]);
  });
});

describe("no content", () => {
  test.each([[null], [[]], [undefined]])("%p stays what it is", (value) => {
    const doc = readBlocks(value);
    expect(writeValue(doc, { value, doc })).toBe(value);
  });

  test("is null when all text has been removed", () => {
    const value = [paragraph(text("a"))];
    expect(edited(value, (transaction) => transaction.delete(0, 3))).toBe(null);
  });

  test("is not what a block with keys of its own is", () => {
    const value = [{ type: "paragraph", id: 1, children: [text("a")] }];
    expect(edited(value, (transaction) => transaction.delete(1, 2))).toEqual([
      { type: "paragraph", id: 1, children: [text("")] },
    ]);
  });
});

test("lists that are nested too deep are shown as they are", () => {
  let list: unknown = { type: "list", format: "ordered", children: [{ type: "list-item", children: [] }] };
  for (let depth = 0; depth < 500; depth++) list = { type: "list", format: "ordered", children: [list] };
  const doc = readBlocks([list]);
  let depth = 0;
  doc.descendants((_node, _position, parent) => {
    depth += parent?.type === nodes.list ? 1 : 0;
  });
  expect(depth).toBeLessThan(30);
  expect(writeBlocks(doc)).toEqual([list]);
});
