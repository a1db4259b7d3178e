/** Short messages about what was done, or could not be. Problems stay until they are closed. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiFailure, errorMessage, UnreachableError } from "../api/client.ts";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** An open modal dialog. */
export type Layer = Readonly<Record<never, never>>;

/** The page, or the modal dialog above it. */
export interface Place {
  readonly layer: Layer | undefined;
}

interface Toast {
  readonly id: number;
  /** Undefined: whatever is on top. */
  readonly place?: Place | undefined;
  readonly kind: "done" | "problem";
  readonly text: string;
  /** Ends with the reason: the server does not respond. */
  readonly isUnreachable?: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 4_000;

/** The topmost is last. */
const layers = signal<readonly Layer[]>([]);

/** For a modal dialog, which makes the rest of the document inert: messages are shown in it while it is the topmost. */
export function useLayer(): Layer {
  const layer = useRef<Layer>({}).current;
  useEffect(() => {
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((other) => other !== layer);
      toasts.value = toasts.peek().filter(({ place }) => place?.layer !== layer);
    };
  }, []);
  return layer;
}

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

const close = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

function show(toast: Omit<Toast, "id">): void {
  const id = ++lastId;
  // a success replaces earlier problems
  const isStale = ({ kind, text, place }: Toast): boolean =>
    (text === toast.text && place?.layer === toast.place?.layer) || (toast.kind === "done" && kind === "problem");
  toasts.value = [...toasts.value.filter((other) => !isStale(other)), { ...toast, id }];
  if (toast.kind === "done") setTimeout(() => close(id), SHOWN_MS);
}

export const showDone = (text: string, action?: Toast["action"]): void =>
  show({ kind: "done", text, ...(action ? { action } : {}) });

export const placeOnTop = (): Place => ({ layer: layers.peek().at(-1) });

/** In the words of the error. Without a session there is a page of its own. `place`: it concerns nothing else, and goes with it. */
export function showProblem(error: unknown, place?: Place): void {
  if (error instanceof ApiFailure && error.status === 401) return;
  show({ kind: "problem", text: errorMessage(error), isUnreachable: error instanceof UnreachableError, place });
}

/** Shows why `work` failed, if it does. Returns whether it was done. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showProblem(error);
    return false;
  }
}

/** Removes the problems of an attempt that is repeated. */
export const closeProblems = (): void => {
  toasts.value = toasts.value.filter(({ kind }) => kind !== "problem");
};

/** Removes messages of a server that did not respond, once it does. */
export function closeUnreachable(): void {
  if (toasts.value.some(({ isUnreachable }) => isUnreachable))
    toasts.value = toasts.value.filter(({ isUnreachable }) => !isUnreachable);
}

const Message = ({ id, kind, text, action }: Toast) => (
  <div class={`toast toast-${kind}`}>
    <Icon name={kind === "done" ? "check" : "warning"} />
    <span>{text}</span>
    {action ? (
      <Button
        kind="link"
        text={action.label}
        onClick={() => {
          close(id);
          action.run();
        }}
      />
    ) : null}
    <IconButton icon="close" label="Close this message" onClick={() => close(id)} />
  </div>
);

/** `layer`: the dialog that it is in. Without messages it stays: screen readers report only what is added to it. */
export function Toasts({ layer }: { readonly layer?: Layer }) {
  const isOnTop = layers.value.at(-1) === layer;
  const shown = isOnTop ? toasts.value.filter(({ place }) => !place || place.layer === layer) : [];
  return (
    <div class="toasts" role="status" aria-live="polite">
      {(["problem", "done"] as const).map((group) => (
        <div key={group} class={`toasts-${group}`}>
          {shown.map((toast) => (toast.kind === group ? <Message key={toast.id} {...toast} /> : null))}
        </div>
      ))}
    </div>
  );
}
