/** What a user has added, removed and moved in a form, step by step. Text has an undo of its own in its field or editor. */
import type { Node, Step } from "./tree.ts";
import type { RelatedDocument, RelationValue } from "./values.ts";

const MAX_STEPS = 200;

const isPending = ({ placed, removed }: RelationValue): boolean => placed.length + removed.length > 0;

/** Other linked documents than those that are saved, as changes of these. */
function basedOn(saved: RelationValue, { items }: RelationValue): RelationValue {
  const before = saved.items ?? [];
  if (!items) return saved;
  const ids = before.map(({ documentId }) => documentId);
  const isPlaced = ({ documentId }: RelatedDocument, index: number): boolean => {
    const place = ids.indexOf(documentId);
    return place < 0 || ids[place - 1] !== items[index - 1]?.documentId;
  };
  return {
    count: saved.count,
    items: items.map(
      ({ isAdded: _, ...item }): RelatedDocument => ({
        ...(item as RelatedDocument),
        ...(ids.includes(item.documentId) ? {} : { isAdded: true }),
      }),
    ),
    placed: items.filter(isPlaced).map(({ documentId }) => documentId),
    removed: before.filter(({ documentId }) => !items.some((item) => item.documentId === documentId)),
  };
}

export class FormHistory {
  #done: Step[] = [];
  #undone: Step[] = [];
  #isRunning = false;

  record(step: Step): void {
    if (this.#isRunning) return;
    this.#done = [...this.#done.slice(1 - MAX_STEPS), step];
    this.#undone = [];
  }

  clear(): void {
    this.#done = [];
    this.#undone = [];
  }

  /** Takes the last step back. Returns its field; undefined: there is none. */
  undo(): Node | undefined {
    const step = this.#done.pop();
    if (step) this.#undone.push(step);
    return step && this.#set(step, step.before);
  }

  /** Makes the step that was taken back last again. */
  redo(): Node | undefined {
    const step = this.#undone.pop();
    if (step) this.#done.push(step);
    return step && this.#set(step, step.after);
  }

  /** After the form has been saved: values of relations are changes of what is saved. */
  rebase(): void {
    const rebased = (step: Step): Step => {
      const { node, before, after } = step;
      if (node.kind === "entries" || node.attribute.type !== "relation") return step;
      const saved = node.value.peek() as RelationValue;
      // it was changed while it was saved
      if (isPending(saved)) return step;
      return { node, before: basedOn(saved, before as RelationValue), after: basedOn(saved, after as RelationValue) };
    };
    this.#done = this.#done.map(rebased);
    this.#undone = this.#undone.map(rebased);
  }

  #set({ node }: Step, value: unknown): Node {
    this.#isRunning = true;
    try {
      if (node.kind === "leaf") node.value.value = value;
      else node.entries.value = value as never;
    } finally {
      this.#isRunning = false;
    }
    return node;
  }
}
