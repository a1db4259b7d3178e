/** The deleted documents, which can be restored for 30 days. */
import { useAnswer } from "../api/use-answer.ts";
import { localeName, typeName } from "../model.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { Empty } from "../widgets/empty.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import { TimeAgo } from "../widgets/time-ago.tsx";
import { useWork } from "../widgets/use-work.ts";
import { type DeletedDocument, forgetKept, type KeptTarget, restoreKept, TRASH_PATH } from "./trash-requests.ts";

const targetOf = ({ contentType, documentId, locale }: DeletedDocument): KeptTarget => ({
  contentType,
  documentIds: [documentId],
  locale: locale ?? undefined,
});

/** The content-type and the locale. */
const description = ({ contentType, locale }: DeletedDocument): string =>
  [typeName(contentType), locale && localeName(locale)].filter(Boolean).join(" · ");

export function TrashPage() {
  const { data, problem, reload } = useAnswer<{ readonly results: readonly DeletedDocument[] }>(TRASH_PATH);
  const [isBusy, run] = useWork(reload);
  const documents = data?.results ?? [];
  const forget = async (document: DeletedDocument, name: string): Promise<void> => {
    const text = `${name} cannot be restored any more.`;
    if (!(await confirm({ title: "Delete for good?", text, action: "Delete for good", isDangerous: true }))) return;
    await run(() => forgetKept(targetOf(document)), `${name} is deleted for good`);
  };
  return (
    <div class="page">
      <header class="page-head">
        <h1>Trash</h1>
      </header>
      <p class="muted">Documents that are deleted in the admin are kept here for 30 days.</p>
      <Alert text={problem} retry={reload} />
      {data || problem ? null : <SkeletonLines />}
      {data && documents.length === 0 ? <Empty icon="trash" text="Nothing was deleted in the last 30 days." /> : null}
      <ul class="stack item-list">
        {documents.map((document) => {
          const name = document.name || document.documentId;
          return (
            <li key={`${document.contentType} ${document.documentId} ${document.locale}`} class="row item">
              <div>
                <strong>
                  <bdi>{name}</bdi>
                </strong>
                <div class="hint">
                  {description(document)} · deleted <TimeAgo time={document.deletedAt} />
                </div>
              </div>
              <div class="page-actions">
                <Button
                  text="Restore"
                  disabled={isBusy}
                  aria-label={`Restore: ${name}`}
                  onClick={() => run(() => restoreKept(targetOf(document)), `${name} is restored`)}
                />
                <Button
                  kind="remove"
                  text="Delete for good"
                  disabled={isBusy}
                  aria-label={`Delete for good: ${name}`}
                  onClick={() => forget(document, name)}
                />
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
