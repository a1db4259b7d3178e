/** Who may do what: roles, users, tokens, and why a request is refused. */
import type { ComponentType } from "preact";
import { useAnswer } from "../api/use-answer.ts";
import type { PageProps } from "../page.ts";
import { hrefTo } from "../router.ts";
import { NotFound } from "../shell/not-found.tsx";
import { Alert } from "../widgets/alert.tsx";
import { Announcer } from "../widgets/announce.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import type { Access } from "./access-model.ts";
import { ChangeDialog } from "./change-dialog.tsx";
import { Roles } from "./roles.tsx";
import { Tokens } from "./tokens.tsx";
import { Users } from "./users.tsx";
import { Why } from "./why.tsx";

interface View {
  readonly label: string;
  readonly component: ComponentType<{ readonly access: Access; readonly reload: () => void }>;
}

const views: Readonly<Record<string, View>> = {
  roles: { label: "Roles", component: Roles },
  users: { label: "Users", component: Users },
  tokens: { label: "API tokens", component: Tokens },
  why: { label: "Why is it refused?", component: Why },
};

export function AccessPage({ segments: [name = "roles"] }: PageProps) {
  const { data: answer, problem, reload } = useAnswer<{ data: Access }>("/access");
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  const source = answer?.data.source;
  return (
    <div class="page" aria-busy={!answer && !problem}>
      <header class="page-head">
        <h1>Access</h1>
      </header>
      <nav class="tabs" aria-label="Access">
        {Object.entries(views).map(([path, { label }]) => (
          <a key={path} href={hrefTo("access", [path])} aria-current={path === name ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <Alert class="page-problem" text={problem} retry={reload} />
      {source?.problem ? <p class="notice">{source.problem}.</p> : null}
      {view ? null : <NotFound />}
      {answer || problem ? null : <SkeletonLines />}
      {view && answer ? <view.component access={answer.data} reload={reload} /> : null}
      <ChangeDialog />
      <Announcer />
    </div>
  );
}
