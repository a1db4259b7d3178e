/** What typing turns into blocks and styles, as in Markdown. Backspace right after it takes it back. */
import { InputRule, inputRules } from "prosemirror-inputrules";
import type { Plugin } from "prosemirror-state";
import { type Change, setBlock, toggleList } from "./block-commands.ts";
import { linkTyped } from "./links.ts";
import { marks, nodes, type Style } from "./schema.ts";

/** At the beginning of a paragraph: what was typed goes, and the block changes. */
const blockRule = (pattern: RegExp, changeFor: (match: RegExpMatchArray) => Change): InputRule =>
  new InputRule(pattern, (state, match, start, end) => {
    if (state.doc.resolve(start).parent.type !== nodes.paragraph) return null;
    const transaction = state.tr.delete(start, end);
    return changeFor(match)(transaction) ? transaction : null;
  });

/** Text between two equal signs. The first group is what stands before them, the last one the text. */
const styleRule = (pattern: RegExp, style: Style): InputRule =>
  new InputRule(
    pattern,
    (state, match, start, end) => {
      const [, before = "", text = ""] = match;
      if (state.doc.resolve(start).parent.type.spec.code) return null;
      // the last sign has been typed, but is not in the document
      const open = start + before.length;
      const signs = (match[0].length - before.length - text.length) / 2;
      const textEnd = open + signs + text.length;
      const transaction = state.tr;
      if (textEnd < end) transaction.delete(textEnd, end);
      transaction.delete(open, open + signs).addMark(open, open + text.length, marks[style].create());
      return transaction.removeStoredMark(marks[style]);
    },
    { inCodeMark: false },
  );

/** A space behind a URL. */
const linkRule = new InputRule(
  /\s$/,
  (state, [space], _, end) => linkTyped(state)?.insertText(space, end).removeStoredMark(marks.link) ?? null,
);

export const markdownRules = (): Plugin =>
  inputRules({
    rules: [
      blockRule(/^(#{1,6})\s$/, ([, signs = ""]) => setBlock(nodes.heading, { level: signs.length })),
      blockRule(/^>\s$/, () => setBlock(nodes.quote)),
      blockRule(/^```([\w+#.-]*)\s$/, ([, language]) => setBlock(nodes.code_block, { language: language || null })),
      blockRule(/^[-*+]\s$/, () => toggleList("unordered")),
      blockRule(/^\d{1,3}[.)]\s$/, () => toggleList("ordered")),
      linkRule,
      styleRule(/(^|[\s(])\*\*([^\s*](?:[^*]*[^\s*])?)\*\*$/, "bold"),
      styleRule(/(^|[\s(])\*([^\s*](?:[^*]*[^\s*])?)\*$/, "italic"),
      styleRule(/(^|[\s(])_([^\s_](?:[^_]*[^\s_])?)_$/, "italic"),
      styleRule(/(^|[\s(])~~([^\s~](?:[^~]*[^\s~])?)~~$/, "strikethrough"),
      styleRule(/(^|[\s(])`([^`]+)`$/, "code"),
    ],
  });
