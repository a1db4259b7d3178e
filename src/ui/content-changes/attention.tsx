/** What needs attention: files that are not valid, and documents that were changed both here and in their files. */
import { useId } from "preact/hooks";
import { api } from "../api/client.ts";
import { documentHref } from "../document-href.ts";
import { HISTORY_PARAM } from "../router.ts";
import { Button } from "../widgets/button.tsx";
import { useWork } from "../widgets/use-work.ts";
import type { Conflict, FileProblem } from "./answers.ts";
import { placeWords } from "./words.ts";

export const fileAndLine = ({ file, line }: FileProblem): string =>
  `content/${file}${line === undefined ? "" : `, line ${line}`}`;

/** Which values of a document were taken from its file. */
export function conflictWords({ attributes }: Conflict): string {
  const names = attributes.filter((path) => path.length > 0).map(placeWords);
  if (names.length === 0) return "It was deleted here, and its file has changed: the document is there again.";
  return `${names.join(", ")}: the file's value is served; yours is in the history.`;
}

function ProblemItem({ problem }: { readonly problem: FileProblem }) {
  const { uid, documentId, key, reason } = problem;
  return (
    <li>
      <code>{fileAndLine(problem)}</code>
      <span>
        {/* most reasons begin with it */}
        {key === undefined || reason.startsWith(`${key} `) ? null : <b>{key} </b>}
        {reason}
      </span>
      {uid !== undefined && documentId !== undefined ? (
        <a class="button-link" href={documentHref({ uid, documentId })}>
          Open the document
        </a>
      ) : null}
    </li>
  );
}

interface ProblemsProps {
  readonly title: string;
  readonly text: string;
  readonly problems: readonly FileProblem[];
  readonly isWarning?: boolean;
}

export function Problems({ title, text, problems, isWarning = false }: ProblemsProps) {
  const id = useId();
  if (problems.length === 0) return null;
  return (
    <section class={`stack attention ${isWarning ? "" : "attention-problem"}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p>{text}</p>
      <ul>
        {problems.map((problem) => (
          <ProblemItem key={JSON.stringify(problem)} problem={problem} />
        ))}
      </ul>
    </section>
  );
}

interface ConflictsProps {
  readonly conflicts: readonly Conflict[];
  readonly reload: () => Promise<void>;
}

export function Conflicts({ conflicts, reload }: ConflictsProps) {
  const [isBusy, run] = useWork(reload);
  if (conflicts.length === 0) return null;
  return (
    <section class="stack attention" aria-labelledby="conflicts">
      <h2 id="conflicts">Changed here and in the file</h2>
      <ul>
        {conflicts.map((conflict) => {
          const { uid, documentId, file, title = file } = conflict;
          return (
            <li key={file}>
              <a href={documentHref(conflict)}>{title}</a>
              <span>{conflictWords(conflict)}</span>
              <a class="button-link" href={documentHref(conflict, { [HISTORY_PARAM]: "open" })}>
                Open the history
              </a>
              <Button
                kind="link"
                text="Dismiss"
                disabled={isBusy}
                aria-label={`Dismiss: ${title}`}
                onClick={() => run(() => api.post("/content-changes/resolve", { uid, documentId }), "Dismissed")}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
