/** The root component: navigation and the current page, or the sign-in page without a session. */
import { useRef } from "preact/hooks";
import { served } from "../changes.ts";
import { lazy } from "../lazy.tsx";
import type { Page } from "../page.ts";
import type { PagePath } from "../page-paths.ts";
import { placeName } from "../page-title.ts";
import { pages } from "../pages.ts";
import { route } from "../router.ts";
import { session } from "../session.ts";
import { Alert } from "../widgets/alert.tsx";
import { ConfirmDialog } from "../widgets/confirm.tsx";
import { LoadingBar } from "../widgets/loading-bar.tsx";
import { Toasts } from "../widgets/toasts.tsx";
import { Unreachable } from "./gate.tsx";
import { Navigation } from "./navigation.tsx";
import { NotFound } from "./not-found.tsx";
import { Panels } from "./panels.tsx";

const HomePage = lazy(async () => (await import("../home/home-page.tsx")).HomePage);
const SignIn = lazy(async () => (await import("./sign-in.tsx")).SignIn);
const SignInAgain = lazy(async () => (await import("./sign-in.tsx")).SignInAgain);

const views = Object.fromEntries(
  Object.entries(pages).map(([path, { view }]: [string, Page]) => [
    path,
    "component" in view ? view.component : lazy(view.load),
  ]),
);

function CurrentPage() {
  const { page, segments } = route.value;
  if (page === undefined) return <HomePage />;
  const View = views[page satisfies PagePath];
  if (!View) return <NotFound />;
  return <View key={page} segments={segments} />;
}

/** Tells screen readers where a link has led: the page is not loaded again. */
function Place() {
  const name = placeName();
  const first = useRef(name);
  if (name !== first.current) first.current = undefined;
  return (
    <p class="visually-hidden" role="status">
      {first.current ? "" : name}
    </p>
  );
}

/** Of files that were changed elsewhere: who edits them may not see the server's terminal. */
const reloadProblem = (): string | undefined =>
  served.value?.problem && `The project's changed files cannot be served: ${served.value.problem}`;

function Shell() {
  return (
    <div class="shell">
      <button type="button" class="skip-link" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <Navigation />
      <main id="main" class="main" tabIndex={-1}>
        <Alert class="page-problem" text={reloadProblem()} />
        <CurrentPage />
      </main>
      <Place />
      <Panels />
    </div>
  );
}

export function App() {
  const state = session.value;
  return (
    <>
      <LoadingBar />
      {state.kind === "open" || state.kind === "ended" ? <Shell /> : null}
      {state.kind === "closed" ? <SignIn problem={state.problem} /> : null}
      {state.kind === "unreachable" ? <Unreachable problem={state.problem} /> : null}
      <ConfirmDialog />
      <Toasts />
      {state.kind === "ended" ? <SignInAgain problem={state.problem} /> : null}
    </>
  );
}
