/** Short messages about what was done, or could not be. Problems stay until they are closed. */
import { signal } from "@preact/signals";
import { messageOf } from "../api/client.ts";
import { Icon } from "./icon.tsx";

interface Toast {
  readonly id: number;
  readonly kind: "done" | "problem";
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = 4_000;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

const close = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

function show(toast: Omit<Toast, "id">): void {
  const id = ++lastId;
  // a success replaces earlier problems
  const isStale = ({ kind, text }: Toast): boolean =>
    text === toast.text || (toast.kind === "done" && kind === "problem");
  toasts.value = [...toasts.value.filter((other) => !isStale(other)), { ...toast, id }];
  if (toast.kind === "done") setTimeout(() => close(id), SHOWN_MS);
}

export const showDone = (text: string, action?: Toast["action"]): void =>
  show({ kind: "done", text, ...(action ? { action } : {}) });

/** In the words of the error. */
export const showProblem = (error: unknown): void => show({ kind: "problem", text: messageOf(error) });

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, kind, text, action }) => (
      <div key={id} class={`toast toast-${kind}`}>
        <Icon name={kind === "done" ? "check" : "warning"} />
        <span>{text}</span>
        {action ? (
          <button
            type="button"
            class="button-link"
            onClick={() => {
              close(id);
              action.run();
            }}
          >
            {action.label}
          </button>
        ) : null}
        <button type="button" class="button-icon" aria-label="Close this message" onClick={() => close(id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
);
