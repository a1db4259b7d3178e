/** The sessions of agents, of which each can be undone with those after it. */
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { Empty } from "../widgets/empty.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import { TimeAgo } from "../widgets/time-ago.tsx";
import { useWork } from "../widgets/use-work.ts";
import type { AgentSession } from "./agent-session.ts";

const PATH = "/agent-sessions";

/** As in "content_create, model_apply (3)". */
const changesText = (changes: readonly string[]): string =>
  [...Map.groupBy(changes, (name) => name)]
    .map(([name, { length }]) => (length > 1 ? `${name} (${length})` : name))
    .join(", ");

/** What a person loses. `later`: how many sessions began after it. */
function losses({ others, notRestored }: AgentSession, later: number): string {
  const text = "Content and files become what they were before it.";
  const sessions =
    later === 0
      ? ""
      : later === 1
        ? " The session after it is undone, too."
        : ` The ${later} sessions after it are undone, too.`;
  const lost = others.length === 0 ? "" : ` Others may have changed ${others.join(", ")} since: that is lost.`;
  const kept =
    notRestored.length === 0 ? "" : ` Files of upload providers stay as they are: ${notRestored.join(", ")}.`;
  return text + sessions + lost + kept;
}

interface SessionProps {
  readonly session: AgentSession;
  readonly isBusy: boolean;
  readonly restore: () => Promise<void>;
}

function Session({ session, isBusy, restore }: SessionProps) {
  const { name, startedAt, changes, files } = session;
  return (
    <li class="row item">
      <div>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <div class="hint">
          <TimeAgo time={startedAt} /> · {changes.length === 0 ? "nothing changed" : changesText(changes)}
        </div>
        {files.map((path) => (
          <div key={path} class="hint">
            <code>{path}</code>
          </div>
        ))}
      </div>
      <div class="page-actions">
        <Button text="Restore" disabled={isBusy} aria-label={`Restore what was before: ${name}`} onClick={restore} />
      </div>
    </li>
  );
}

export function AgentsPage() {
  const { data, problem, reload } = useAnswer<{ readonly data: readonly AgentSession[] }>(PATH);
  const [isBusy, run] = useWork(reload);
  const sessions = data?.data ?? [];
  const restore = async (session: AgentSession, later: number): Promise<void> => {
    const { id, name, others } = session;
    const title = `Restore what was before “${name}”?`;
    if (!(await confirm({ title, text: losses(session, later), action: "Restore", isDangerous: true }))) return;
    await run(() => api.post(`${PATH}/restore`, { id, discardOthers: others.length > 0 }), `${name} is undone`);
  };
  return (
    <div class="page">
      <header class="page-head">
        <h1>Agents</h1>
      </header>
      <p class="muted">
        What agents have changed in their last sessions. Content and files can be restored to what they were before one.
      </p>
      <Alert text={problem} retry={reload} />
      {data || problem ? null : <SkeletonLines />}
      {data && sessions.length === 0 ? (
        <Empty icon="history" text="No agent has changed anything that can be restored." />
      ) : null}
      <ul class="stack item-list">
        {sessions.map((session, index) => (
          <Session key={session.id} session={session} isBusy={isBusy} restore={() => restore(session, index)} />
        ))}
      </ul>
    </div>
  );
}
