/** What is different below `content/` since the last commit, and which files need attention. */
import { start, typeName } from "../model.ts";
import { NotFound } from "../shell/not-found.tsx";
import { Button } from "../widgets/button.tsx";
import { Empty } from "../widgets/empty.tsx";
import type { ContentChanges, GitChanges } from "./answers.ts";
import { Conflicts, Problems } from "./attention.tsx";
import { DocumentChange } from "./document-change.tsx";
import { useFollowed } from "./followed.ts";

interface UncommittedProps {
  readonly git: GitChanges;
  readonly canDiscard: boolean;
  readonly reload: () => Promise<void>;
}

function Uncommitted({ git, canDiscard, reload }: UncommittedProps) {
  const { documents, total, files, fileTotal } = git;
  if (total + fileTotal === 0) return <Empty icon="check" text="Nothing has changed since the last commit." />;
  return (
    <>
      {[...Map.groupBy(documents, ({ uid }) => uid)].map(([uid, own]) => (
        <section key={uid} class="stack change-type">
          <h2>{typeName(uid)}</h2>
          <ul class="stack">
            {own.map((document) => (
              <DocumentChange key={document.path} document={document} canDiscard={canDiscard} reload={reload} />
            ))}
          </ul>
        </section>
      ))}
      {total > documents.length ? <p class="muted">And {total - documents.length} more documents.</p> : null}
      {fileTotal > 0 ? (
        <section class="stack change-type">
          <h2>Other files</h2>
          <ul class="stack">
            {files.map((path) => (
              <li key={path}>
                <code>content/{path}</code>
              </li>
            ))}
          </ul>
          {fileTotal > files.length ? <p class="muted">And {fileTotal - files.length} more.</p> : null}
        </section>
      ) : null}
    </>
  );
}

function Changes({ data, reload }: { readonly data: ContentChanges; readonly reload: () => Promise<void> }) {
  const { problems, warnings, conflicts, git, gitProblem, writes, waitsFor } = data;
  return (
    <>
      {waitsFor === undefined ? null : (
        <p class="notice" role="status">
          Files and content are kept equal again when git has finished: {waitsFor}.
        </p>
      )}
      <Problems
        title={problems.length === 1 ? "A file is not valid" : `${problems.length} problems in files`}
        text="Nothing that has changed in files is served until this is mended."
        problems={problems}
      />
      <Conflicts conflicts={conflicts} reload={reload} />
      <Problems
        title="Not served as written"
        text="These files are served otherwise than they say, or not at all."
        problems={warnings}
        isWarning
      />
      {gitProblem === undefined ? null : (
        <p class="notice notice-problem" role="alert">
          What is not committed is unknown: {gitProblem}
        </p>
      )}
      {git ? <Uncommitted git={git} canDiscard={writes && git.hasCommits} reload={reload} /> : null}
      {!git && gitProblem === undefined ? (
        <p class="notice notice-neutral">
          The project is in no git repository, or git is not installed: only problems of files are shown here.
        </p>
      ) : null}
    </>
  );
}

export function ChangesPage() {
  const { data, problem, reload } = useFollowed<ContentChanges>("/content-changes");
  if (start.value?.syncsContent !== true) return <NotFound what="The content of this project is not kept in files." />;
  return (
    <div class="page changes-page" aria-busy={data === undefined && problem === undefined}>
      <header class="page-head">
        <h1>Changes</h1>
      </header>
      <p class="muted">
        What is different in <code>content/</code> since the last commit. Commits are made with git, not here.
      </p>
      {problem === undefined ? null : (
        <div class="notice notice-problem" role="alert">
          <span>{problem}</span>
          <Button kind="link" text="Try again" onClick={() => void reload()} />
        </div>
      )}
      {data ? <Changes data={data} reload={reload} /> : null}
    </div>
  );
}
