/** The session: signing in and out. */
import { signal } from "@preact/signals";
import { ApiFailure, api, errorMessage, whenSignedOut } from "./api/client.ts";
import { reconnections } from "./changes.ts";
import { takeFirstStart } from "./first-start.ts";
import { loadStart } from "./model.ts";

export type SessionState =
  | { readonly kind: "starting" }
  | { readonly kind: "open" }
  /** Without a session; `problem` says why the last attempt failed. */
  | { readonly kind: "closed"; readonly problem?: string }
  /** It ended while the page was open, which stays below the form. `problem`: that, or why the last attempt failed. */
  | { readonly kind: "ended"; readonly problem: string }
  | { readonly kind: "unreachable"; readonly problem: string };

const ENDED = "Your session has ended. What you have not saved is still here when you sign in again.";

export const session = signal<SessionState>({ kind: "starting" });

/** The token in the URL's fragment. It is removed from the URL and the history at once. */
function takeToken(): string | undefined {
  const { hash, pathname, search } = window.location;
  if (hash.length < 2) return undefined;
  window.history.replaceState(null, "", pathname + search);
  return hash.slice(1);
}

/** Called after the model is loaded; what is returned is awaited before anything is rendered. */
let onStarted = (): Promise<unknown> | undefined => undefined;

async function load(): Promise<void> {
  await loadStart(takeFirstStart());
  await onStarted();
  const isReopened = session.peek().kind === "ended";
  session.value = { kind: "open" };
  // what was requested meanwhile was refused
  if (isReopened) reconnections.value++;
}

/** Loads again after the server could not be reached, or once another window may have signed in. */
export const tryAgain = (): Promise<void> => load().catch(fail);

/** `kind`: of a page that was not open. */
function showFailure(error: unknown, kind: "closed" | "unreachable"): void {
  session.value = { kind: session.peek().kind === "ended" ? "ended" : kind, problem: errorMessage(error) };
}

function fail(error: unknown): void {
  if (error instanceof ApiFailure && error.status === 401) return;
  showFailure(error, "unreachable");
}

/** `started` is called after the model is loaded; what it returns is awaited before anything is rendered. */
export async function openSession(started: typeof onStarted): Promise<void> {
  onStarted = started;
  whenSignedOut(() => {
    const { kind } = session.value;
    if (kind === "open") session.value = { kind: "ended", problem: ENDED };
    else if (kind !== "ended" && kind !== "closed") session.value = { kind: "closed" };
  });
  const token = takeToken();
  if (token !== undefined) return signInWith(token);
  await load().catch(fail);
}

/** With the token of a link or an admin token. */
export async function signInWith(token: string): Promise<void> {
  try {
    await api.post("/session", { token });
  } catch (error) {
    // an old link may be followed with a valid session
    const isOpen = await load().then(
      () => true,
      () => false,
    );
    if (!isOpen) showFailure(error, "closed");
    return;
  }
  await load().catch(fail);
}

export async function signOut(): Promise<void> {
  await api.delete("/session");
  session.value = { kind: "closed" };
}

/** Makes the server print a new sign-in link in its terminal. Returns whether it did. */
export const printLink = async (): Promise<boolean> =>
  (await api.post<{ data: { isPrinted: boolean } }>("/session/link")).data.isPrinted;
