/**
 * Undo in inputs. That of the browser is one for all fields: it goes on to those that were edited before, out of sight. So it never
 * runs, and each field has its own. Editors of text have theirs.
 */
import { commandKey } from "../command-key.ts";

type TextField = HTMLInputElement | HTMLTextAreaElement;
type Direction = "undo" | "redo";

interface Snapshot {
  readonly value: string;
  readonly start: number | null;
  readonly end: number | null;
}

interface History extends Record<Direction, Snapshot[]> {
  /** Of the last change. */
  inputType: string;
  time: number;
}

const NO_TEXT = /^(?:button|checkbox|color|file|image|radio|range|reset|submit)$/;
/** Changes of one kind within this time are taken back together. */
const PAUSE_MS = 800;
const MAX_SNAPSHOTS = 200;

const histories = new WeakMap<TextField, History>();

const isField = (target: EventTarget | null): target is TextField =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !NO_TEXT.test(target.type));

/** Whether the keys of undo are those of the element's text. The empty search of a relation has none. */
export function hasTextUndo(element: Element | null): boolean {
  if (isField(element)) return !element.readOnly && !(element.role === "combobox" && element.value === "");
  return Boolean(element?.closest(".editor"));
}

export function undoDirection(event: KeyboardEvent): Direction | undefined {
  const key = commandKey(event);
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" && !event.shiftKey ? "redo" : undefined;
}

const snapshot = ({ value, selectionStart: start, selectionEnd: end }: TextField): Snapshot => ({ value, start, end });

function record(field: TextField, { inputType, timeStamp }: InputEvent): void {
  const history = histories.get(field) ?? { undo: [], redo: [], inputType: "", time: 0 };
  const isNew = history.inputType !== inputType || timeStamp - history.time > PAUSE_MS;
  if (isNew) history.undo = [...history.undo.slice(1 - MAX_SNAPSHOTS), snapshot(field)];
  Object.assign(history, { inputType, time: timeStamp, redo: [] });
  histories.set(field, history);
}

function step(field: TextField, direction: Direction): void {
  const history = histories.get(field);
  const next = history?.[direction].pop();
  if (!history || !next) return;
  history[direction === "undo" ? "redo" : "undo"].push(snapshot(field));
  history.inputType = "";
  field.value = next.value;
  // those of addresses have no selection
  if (next.start !== null) field.setSelectionRange(next.start, next.end);
  field.dispatchEvent(
    new InputEvent("input", { bubbles: true, inputType: direction === "undo" ? "historyUndo" : "historyRedo" }),
  );
}

function onBeforeInput(event: InputEvent): void {
  const { target, inputType } = event;
  const direction = ({ historyUndo: "undo", historyRedo: "redo" } as const)[inputType];
  if (direction) event.preventDefault();
  if (!isField(target) || target.type === "password") return;
  if (direction) step(target, direction);
  else record(target, event);
}

function onKey(event: KeyboardEvent): void {
  const direction = undoDirection(event);
  if (!direction || event.defaultPrevented) return;
  event.preventDefault();
  const { activeElement } = document;
  if (isField(activeElement) && hasTextUndo(activeElement)) step(activeElement, direction);
}

/** Once for all fields of the page. */
export function limitUndo(): void {
  document.addEventListener("beforeinput", onBeforeInput, { capture: true });
  document.addEventListener("keydown", onKey);
}
