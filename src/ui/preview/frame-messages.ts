/** The page's side of the conversation with a previewed site. */
import { effect } from "@preact/signals";
import { collectValues, type Node } from "../edit/form/tree.ts";
import { readValues } from "../edit/form/values.ts";
import type { OpenDocument } from "../edit/open-document.ts";
import { fieldChanges } from "./field-changes.ts";
import { findField, findPath } from "./field-paths.ts";
import {
  FIELD_BLUR,
  FIELD_CHANGE,
  FIELD_FOCUS,
  FOCUS_INTENT,
  PREVIEW_READY,
  parseSource,
  SCRIPT,
  type Source,
  UPDATE,
} from "./messages.ts";
import { scriptText } from "./site-script.ts";

/** How long the site waits for what is typed, at most: each change is compared with the whole form. */
const DELAY_MS = 80;

/** Seen on light and dark sites. */
const COLOR = "#4463d8";

export interface FrameOptions {
  readonly open: OpenDocument;
  readonly frame: HTMLIFrameElement;
  /** The section of the page with the form. */
  readonly section: HTMLElement;
  readonly focus: (node: Node) => void;
  /** The site shows the draft, so that it follows the form. */
  readonly isDraft: boolean;
  /** A text of another document was clicked. */
  readonly onOther: (source: Source) => void;
}

/** Whether the site has said that it answers messages. */
export interface FrameConnection {
  readonly isReady: () => boolean;
  /** Has the site read the saved document. */
  readonly update: () => void;
  readonly close: () => void;
}

export function connectFrame(
  url: string,
  { open, frame, section, focus, isDraft, onOther }: FrameOptions,
): FrameConnection {
  const { origin } = new URL(url);
  const closed = new AbortController();
  const { signal } = closed;
  let isReady = false;
  const send = (type: string, payload?: object): void =>
    frame.contentWindow?.postMessage({ type, ...(payload ? { payload } : {}) }, origin);

  const onIntent = (source: Source): void => {
    if (source.documentId !== open.version.peek()?.documentId) return onOther(source);
    const form = open.form.peek();
    const found = form && findField(form, source.path);
    if (!found) return;
    for (const entry of found.entries) entry.isOpen.value = true;
    focus(found.node);
  };
  window.addEventListener(
    "message",
    (event) => {
      if (event.origin !== origin || event.source !== frame.contentWindow) return;
      const { type, payload } = (event.data ?? {}) as { type?: unknown; payload?: { path?: unknown } };
      if (type === PREVIEW_READY) {
        isReady = true;
        send(SCRIPT, { script: scriptText({ origin: window.location.origin, color: COLOR }) });
        // the site has rendered what is saved
        shown = readValues(open.type.attributes, open.version.peek() ?? {});
        sendLater();
      } else if (type === FOCUS_INTENT) {
        const source = parseSource(payload?.path);
        if (source) onIntent(source);
      }
    },
    { signal },
  );

  let focused: string | undefined;
  const onFocus = (event: FocusEvent): void => {
    const form = open.form.peek();
    const label = (event.target as Element).closest(".field")?.querySelector("[id$='-label']");
    const path = form && label ? findPath(form, label.id.slice(0, -"-label".length)) : undefined;
    if (path === focused) return;
    if (focused !== undefined) send(FIELD_BLUR, { field: focused });
    focused = path;
    if (path !== undefined) send(FIELD_FOCUS, { field: path });
  };
  section.addEventListener("focusin", onFocus, { signal });

  const values = () => (open.form.peek() ? collectValues(open.form.peek()!) : {});
  let shown = values();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sendChanges = (): void => {
    timer = undefined;
    const now = values();
    for (const change of fieldChanges(open.type.attributes, shown, now, window.location.origin))
      send(FIELD_CHANGE, change);
    shown = now;
  };
  const sendLater = (): void => {
    if (isDraft) timer ??= setTimeout(sendChanges, DELAY_MS);
  };
  const unfollow = effect(() => {
    open.changeCount.value;
    sendLater();
  });
  return {
    isReady: () => isReady,
    update: () => send(UPDATE),
    close: () => {
      closed.abort();
      unfollow();
      clearTimeout(timer);
    },
  };
}
