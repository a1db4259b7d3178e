/** Moves the selected blocks, or the selected items of a list, before or behind their neighbour. */
import { type Command, NodeSelection } from "prosemirror-state";

export const moveBlocks =
  (step: -1 | 1): Command =>
  ({ selection, tr }, dispatch) => {
    const { $from, $to } = selection;
    let level = $from.sharedDepth(selection.to);
    while (level > 0 && $from.node(level).isTextblock) level--;
    const parent = $from.node(level);
    const first = $from.index(level);
    const last = selection instanceof NodeSelection ? first : $to.index(level);
    const place = step < 0 ? first - 1 : last + 1;
    // at the end the key does nothing, instead of what a browser has it do
    if (place < 0 || place >= parent.childCount) return true;
    const neighbour = parent.child(place);
    const start = $from.posAtIndex(first, level);
    const end = $from.posAtIndex(last + 1, level);
    // the neighbour moves, so that the selection stays
    if (step < 0) tr.delete(start - neighbour.nodeSize, start).insert(end - neighbour.nodeSize, neighbour);
    else tr.delete(end, end + neighbour.nodeSize).insert(start, neighbour);
    dispatch?.(tr.scrollIntoView());
    return true;
  };
