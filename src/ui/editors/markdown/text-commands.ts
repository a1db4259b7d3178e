/** What the toolbar and keys of the Markdown editor do with the text. */
import { type ChangeSpec, EditorSelection, type EditorState, type StateCommand } from "@codemirror/state";

/** Puts the sign on both sides of each selection, or takes it away where it is. Without a selection: around the cursor. */
export const toggleSign =
  (sign: string): StateCommand =>
  ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const { length } = sign;
    const change = state.changeByRange(({ from, to }) => {
      const before = state.sliceDoc(Math.max(0, from - length), from);
      const after = state.sliceDoc(to, to + length);
      // one sign of emphasis inside of two is not the same
      const isLonger = state.sliceDoc(Math.max(0, from - length - 1), from - length) === sign[0];
      if (before === sign && after === sign && !(length === 1 && isLonger)) {
        return {
          changes: [
            { from: from - length, to: from },
            { from: to, to: to + length },
          ],
          range: EditorSelection.range(from - length, to - length),
        };
      }
      return {
        changes: [
          { from, insert: sign },
          { from: to, insert: sign },
        ],
        range: EditorSelection.range(from + length, to + length),
      };
    });
    dispatch(state.update(change, { userEvent: "input.style", scrollIntoView: true }));
    return true;
  };

/** Each line that a selection touches, once. */
function selectedLines(state: EditorState) {
  const numbers = new Set<number>();
  for (const { from, to } of state.selection.ranges) {
    const last = state.doc.lineAt(to).number;
    for (let number = state.doc.lineAt(from).number; number <= last; number++) numbers.add(number);
  }
  return [...numbers].map((number) => state.doc.line(number));
}

/** What begins a line: indentation, and the sign of a list, a quote or a heading. */
const LINE_START = /^(\s*)((?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|>\s?|#{1,6}\s+)?/;

/** Gives lines a beginning; `beginning` gets the line's position among them. Takes it away if all are like `pattern`. */
const setLines =
  (beginning: (index: number) => string, pattern?: RegExp): StateCommand =>
  ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const lines = selectedLines(state);
    const isOn = lines.every(({ text }) => pattern?.test(text.trimStart()) ?? false);
    const changes = lines.map(({ from, text }, index): ChangeSpec => {
      const [, spaces = "", sign = ""] = LINE_START.exec(text) ?? [];
      const start = from + spaces.length;
      return { from: start, to: start + sign.length, insert: isOn ? "" : beginning(index) };
    });
    dispatch(state.update({ changes, userEvent: "input.style", scrollIntoView: true }));
    return true;
  };

export const toggleQuote = setLines(() => "> ", /^>/);
export const toggleBullets = setLines(() => "- ", /^[-*+]\s/);
export const toggleNumbers = setLines((index) => `${index + 1}. `, /^\d{1,9}[.)]\s/);

/** 0: no heading. */
export const setHeading = (level: number): StateCommand => setLines(() => (level === 0 ? "" : `${"#".repeat(level)} `));

/** The level of the line with the cursor. */
export function headingLevel(state: EditorState): number {
  const [, signs = ""] = /^(#{1,6})\s/.exec(state.doc.lineAt(state.selection.main.head).text) ?? [];
  return signs.length;
}

type Range = { readonly from: number; readonly to: number };

/** Replaces a part with text, on separate lines unless `gap` says otherwise. A cursor at its end comes behind the text. */
export function insertLines(state: EditorState, text: string, range: Range = state.selection.main, gap = "\n\n") {
  const { from, to } = range;
  const { head } = state.selection.main;
  const line = state.doc.lineAt(from);
  const before = from === line.from ? "" : gap;
  const after = to === state.doc.lineAt(to).to ? "" : gap;
  const insert = state.toText(before + text + after);
  const end = from + insert.length - after.length;
  return state.update({
    changes: { from, to, insert },
    ...(head === to ? { selection: { anchor: end } } : {}),
    userEvent: "input",
    scrollIntoView: true,
  });
}

/** A block of code around the selected lines. */
export const insertCode: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const { from, to } = state.selection.main;
  const first = state.doc.lineAt(from);
  const last = state.doc.lineAt(to);
  dispatch(
    state.update({
      changes: [
        { from: first.from, insert: "```\n" },
        { from: last.to, insert: "\n```" },
      ],
      selection: { anchor: first.from + 3 },
      userEvent: "input",
      scrollIntoView: true,
    }),
  );
  return true;
};

/** A URL as it stands in the brackets of a link. */
export const linkUrl = (url: string): string => (/[\s()]/.test(url) ? `<${url}>` : url);

/** `[text](url)`, with the cursor where the URL goes. */
export const insertLink: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const change = state.changeByRange(({ from, to }) => {
    const text = state.sliceDoc(from, to);
    const isUrl = /^(?:https?:|mailto:|\/)\S*$/.test(text);
    const insert = isUrl ? `[](${text})` : `[${text}]()`;
    return {
      changes: { from, to, insert },
      range: EditorSelection.cursor(isUrl ? from + 1 : from + insert.length - 1),
    };
  });
  dispatch(state.update(change, { userEvent: "input", scrollIntoView: true }));
  return true;
};

/** Enter at the end of an item or quote begins the next one; in an empty one, it ends the list. */
export const continueLine: StateCommand = ({ state, dispatch }) => {
  const { main, ranges } = state.selection;
  if (state.readOnly || !main.empty || ranges.length > 1) return false;
  const line = state.doc.lineAt(main.head);
  const [all = "", spaces = "", sign = ""] =
    /^(\s*)((?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|>\s?)/.exec(line.text) ?? [];
  if (sign === "" || main.head < line.from + all.length) return false;
  if (line.text.length === all.length) {
    dispatch(state.update({ changes: { from: line.from, to: line.to }, userEvent: "delete", scrollIntoView: true }));
    return true;
  }
  const next = sign.replace(/^\d+/, (number) => String(Number(number) + 1)).replace(/\[[xX]\]/, "[ ]");
  const insert = state.lineBreak + spaces + next;
  const length = 1 + spaces.length + next.length;
  dispatch(
    state.update({
      changes: { from: main.head, insert: state.toText(insert) },
      selection: { anchor: main.head + length },
      userEvent: "input",
      scrollIntoView: true,
    }),
  );
  return true;
};
