/** The documents that use a file. */
import { useAnswer } from "../api/use-answer.ts";
import { documentHref } from "../document-href.ts";
import { findType, formatLabel, typeName } from "../model.ts";
import { Alert } from "../widgets/alert.tsx";

interface Use {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly title: string;
  readonly attribute: string;
  readonly isDraft: boolean;
  readonly isPublished: boolean;
}

interface Answer {
  readonly data: readonly Use[];
  readonly meta: { readonly isCut: boolean };
}

function UseItem({ use }: { readonly use: Use }) {
  const { uid, locale, title, attribute, isDraft, isPublished } = use;
  const type = findType(uid);
  return (
    <li>
      {type?.isDisplayed ? <a href={documentHref(use, { locale })}>{title}</a> : <span>{title}</span>}
      <span class="muted">
        {[typeName(uid), formatLabel(attribute), locale].filter(Boolean).join(" · ")}
        {isDraft && !isPublished ? " · draft only" : ""}
      </span>
    </li>
  );
}

export function FileUses({ id }: { readonly id: number }) {
  const { data: answer, problem } = useAnswer<Answer>(`/files/${id}/uses`);
  return (
    <section class="file-uses" aria-busy={answer === undefined && !problem}>
      <h3>Used in</h3>
      <Alert text={problem} />
      {answer?.data.length === 0 ? <p class="muted">No document uses this file.</p> : null}
      <ul>
        {answer?.data.map((use) => (
          <UseItem key={`${use.uid} ${use.documentId} ${use.locale} ${use.attribute}`} use={use} />
        ))}
      </ul>
      {answer?.meta.isCut ? <p class="muted">And in more documents.</p> : null}
    </section>
  );
}
