/** Commands on whole blocks: their type, and items of lists. Each works on a transaction, so that they can be combined. */
import type { NodeType } from "prosemirror-model";
import type { Command, Transaction } from "prosemirror-state";
import { changeLines, converted, type Line, type ListToken } from "./lines.ts";
import { nodes } from "./schema.ts";

export type ListFormat = "ordered" | "unordered";

/** Changes a transaction; false: there is nothing that it could change. */
export type Change = (transaction: Transaction) => boolean;

export const command =
  (change: Change): Command =>
  (state, dispatch) => {
    const { tr } = state;
    if (!change(tr)) return false;
    dispatch?.(tr.scrollIntoView());
    return true;
  };

/** Text blocks become blocks of the type, outside of lists. */
export const setBlock =
  (type: NodeType, attrs: Readonly<Record<string, unknown>> = {}): Change =>
  (transaction) =>
    changeLines(transaction, (lines) =>
      lines.some(({ isSelected, node }) => isSelected && node.isTextblock)
        ? lines.map((line) =>
            line.isSelected && line.node.isTextblock
              ? { ...line, node: converted(line.node, type, attrs), lists: [] }
              : line,
          )
        : undefined,
    );

const isItem = ({ lists, node }: Line): boolean => lists.length > 0 && node.type === nodes.list_item;

/** Items whose innermost lists all have the format leave their lists. */
const withoutLists = (lines: readonly Line[]): Line[] =>
  lines.map((line) =>
    line.isSelected && isItem(line) ? { ...line, node: converted(line.node, nodes.paragraph), lists: [] } : line,
  );

/** Strapi's editor writes no level for outermost lists. */
const newList = (format: ListFormat, depth: number): ListToken => ({
  attrs: { format, indentLevel: depth || null },
  depth,
});

/** Text blocks become items of one list, that of a neighbour if it has the format; items of other lists change theirs. */
function withLists(lines: readonly Line[], format: ListFormat): Line[] {
  const first = lines.findIndex(({ isSelected }) => isSelected);
  const last = lines.findLastIndex(({ isSelected }) => isSelected);
  const [token = newList(format, 0)] = [lines[first - 1], lines[last + 1]].flatMap(
    (line) => line?.lists.slice(0, 1).filter(({ attrs }) => attrs.format === format) ?? [],
  );
  // the whole list changes, of which an item is selected
  const changed = new Map<ListToken, ListToken>();
  for (const { isSelected, lists } of lines) {
    const inner = lists.at(-1);
    if (isSelected && inner) changed.set(inner, { ...inner, attrs: { ...inner.attrs, format } });
  }
  return lines.map((line) => {
    if (line.lists.length > 0) return { ...line, lists: line.lists.map((list) => changed.get(list) ?? list) };
    if (!line.isSelected || !line.node.isTextblock) return line;
    return { ...line, node: converted(line.node, nodes.list_item), lists: [token] };
  });
}

export const toggleList =
  (format: ListFormat): Change =>
  (transaction) =>
    changeLines(
      transaction,
      (lines) => {
        const selected = lines.filter(({ isSelected, node }) => isSelected && node.isTextblock);
        if (selected.length === 0) return undefined;
        const isAll = selected.every((line) => isItem(line) && line.lists.at(-1)?.attrs.format === format);
        return isAll ? withoutLists(lines) : withLists(lines, format);
      },
      { isWider: true },
    );

/**
 * Selected items with those that are nested below them, by the depth of the selected one. An item in the selection that is
 * nested below another moves with that one.
 */
function movedDepths(lines: readonly Line[]): Map<Line, number> {
  const moved = new Map<Line, number>();
  let depth = 0;
  for (const line of lines) {
    const own = line.lists.length;
    if (depth > 0 && own > depth) moved.set(line, depth);
    else if (line.isSelected && own > 0) {
      depth = own;
      moved.set(line, depth);
    } else depth = 0;
  }
  return moved;
}

/** Items go one list deeper: into the list below the item before them, or a new one. False where nothing is before. */
export const indent: Change = (transaction) =>
  changeLines(transaction, (lines) => {
    const moved = movedDepths(lines);
    const result: Line[] = [];
    let isMoving = false;
    let count = 0;
    for (const line of lines) {
      const depth = moved.get(line);
      const before = result.at(-1);
      if (depth === line.lists.length) isMoving = before?.lists[depth - 1] === line.lists[depth - 1];
      if (depth === undefined || !isMoving) {
        result.push(line);
        continue;
      }
      const inner = before?.lists[depth] ?? newList(line.lists[depth - 1]!.attrs.format as ListFormat, depth);
      result.push({ ...line, lists: [...line.lists.slice(0, depth), inner, ...line.lists.slice(depth)] });
      count++;
    }
    return count > 0 ? result : undefined;
  });

/** Items leave their innermost list; those of an outermost one become paragraphs. */
export const outdent: Change = (transaction) =>
  changeLines(transaction, (lines) => {
    const moved = movedDepths(lines);
    if (moved.size === 0) return undefined;
    return lines.map((line) => {
      const depth = moved.get(line);
      if (depth === undefined) return line;
      const lists = [...line.lists.slice(0, depth - 1), ...line.lists.slice(depth)];
      return { ...line, node: lists.length === 0 ? converted(line.node, nodes.paragraph) : line.node, lists };
    });
  });
