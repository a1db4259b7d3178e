/**
 * Listens to the server's events while the user is signed in and the page is visible. Browsers limit the connections to one
 * server, so a hidden window closes its own. The first event after it is shown again reports what changed meanwhile.
 */
import { effect, signal } from "@preact/signals";
import { failureFrom, OWN_HEADERS } from "./api/client.ts";
import { reconnections, type ServedState, served } from "./changes.ts";
import { API_BASE } from "./first-requests.ts";
import { loadStart } from "./model.ts";
import { session } from "./session.ts";
import { closeUnreachable } from "./widgets/toasts.tsx";

const RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;
/** The server sends events more often than this: after a longer silence the connection counts as lost. */
const SILENCE_MS = 60_000;

/** Throws an ApiFailure for a refusal, and a TypeError if the server cannot be reached. */
async function* events(signal: AbortSignal): AsyncGenerator<ServedState> {
  const timeout = new AbortController();
  const response = await fetch(`${API_BASE}/events`, {
    headers: OWN_HEADERS,
    signal: AbortSignal.any([signal, timeout.signal]),
  });
  if (!response.ok || !response.body) throw failureFrom(response.status, await response.text());
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const timer = setTimeout(() => timeout.abort(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) if (part.startsWith("data: ")) yield JSON.parse(part.slice("data: ".length));
  }
}

async function applyState(state: ServedState): Promise<void> {
  const current = served.peek();
  if (current?.project !== state.project) await loadStart();
  else if (JSON.stringify(current) !== JSON.stringify(state)) served.value = state;
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

async function follow(signal: AbortSignal): Promise<void> {
  let wait = RETRY_MS;
  while (!signal.aborted) {
    let isConnected = false;
    try {
      for await (const state of events(signal)) {
        const isBack = wait > RETRY_MS;
        wait = RETRY_MS;
        // a request that was lost while this connection was open is lost still
        if (!isConnected) closeUnreachable();
        isConnected = true;
        await applyState(state);
        if (isBack) reconnections.value++;
      }
    } catch {
      // requests of the user report an unreachable server; here it is enough to retry
      wait = Math.min(wait * 2, MAX_RETRY_MS);
    }
    await pause(wait, signal);
  }
}

export function followServer(): void {
  const isVisible = signal(!document.hidden);
  document.addEventListener("visibilitychange", () => {
    isVisible.value = !document.hidden;
  });
  effect(() => {
    if (session.value.kind !== "open" || !isVisible.value) return;
    const controller = new AbortController();
    void follow(controller.signal);
    return () => controller.abort();
  });
}
