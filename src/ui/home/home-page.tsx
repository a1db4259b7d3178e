/** The first page: what was edited last, what waits, what is wrong, and how a newcomer begins. */
import { useAnswer } from "../api/use-answer.ts";
import { documentHref } from "../document-href.ts";
import { listUnsaved } from "../edit/form/recovery.ts";
import { StatusBadge } from "../list/status-badge.tsx";
import { defaultLocale, hasDrafts, isOfProject, shownTypes, start } from "../model.ts";
import { hrefTo } from "../router.ts";
import { Alert } from "../widgets/alert.tsx";
import { Icon } from "../widgets/icon.tsx";
import { TimeAgo } from "../widgets/time-ago.tsx";
import { ApiExample, FirstSteps } from "./first-steps.tsx";
import { HomeProblems } from "./home-problems.tsx";

interface HomeDocument {
  readonly documentId: string;
  readonly locale: string | null;
  readonly title: unknown;
  readonly contentTypeUid: string;
  readonly contentTypeDisplayName: string;
  readonly updatedAt: string;
  readonly status?: string;
}

interface Home {
  readonly recent: readonly HomeDocument[];
  readonly waiting: readonly HomeDocument[];
}

const hrefOf = ({ contentTypeUid: uid, documentId, locale }: HomeDocument): string =>
  documentHref({ uid, documentId }, { locale });

const nameOf = ({ title, contentTypeDisplayName }: HomeDocument): string =>
  typeof title === "string" && title.trim() !== "" ? title : contentTypeDisplayName;

interface DocumentsProps {
  readonly title: string;
  readonly documents: readonly HomeDocument[] | undefined;
  readonly empty: string;
}

/** Lines in the place of documents that have not come yet. */
const WAITING_LINES = 8;

const Documents = ({ title, documents, empty }: DocumentsProps) => (
  <section class="stack home-card" aria-busy={documents === undefined}>
    <h2>{title}</h2>
    {documents?.length === 0 ? <p class="muted">{empty}</p> : null}
    <ul class="home-list">
      {documents
        ? documents.map((document) => (
            <li key={`${document.contentTypeUid} ${document.documentId} ${document.locale}`}>
              <a href={hrefOf(document)} class="home-document">
                <bdi class="one-line home-name">{nameOf(document)}</bdi>
                <StatusBadge status={document.status} />
                <span class="muted home-note">
                  {document.contentTypeDisplayName}
                  {document.locale && document.locale !== defaultLocale() ? ` · ${document.locale}` : ""} ·{" "}
                  <TimeAgo time={document.updatedAt} />
                </span>
              </a>
            </li>
          ))
        : Array.from({ length: WAITING_LINES }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
            <li key={index} class="skeleton" />
          ))}
    </ul>
  </section>
);

/** Only this browser has them: nobody else sees that something was written. */
function UnsavedDocuments() {
  const documents = listUnsaved().map(({ type, documentId, locale, name, at }) => ({
    documentId,
    locale: locale ?? null,
    title: name,
    contentTypeUid: type.uid,
    contentTypeDisplayName: type.info.displayName,
    updatedAt: new Date(at).toISOString(),
  }));
  return documents.length > 0 ? <Documents title="Not saved, in this browser" documents={documents} empty="" /> : null;
}

/** Types to make a document of at once. */
const MAX_NEW = 6;

function NewDocuments() {
  const types = shownTypes.value.filter((type) => isOfProject(type) && type.kind === "collectionType");
  if (types.length === 0) return null;
  return (
    <nav class="buttons" aria-label="New documents">
      {types.slice(0, MAX_NEW).map(({ uid, info }) => (
        <a key={uid} class="button" href={hrefTo("content", [uid, "new"])}>
          <Icon name="add" />
          {info.displayName}
        </a>
      ))}
    </nav>
  );
}

export function HomePage() {
  const { data: answer, problem, reload } = useAnswer<{ readonly data: Home }>("/home");
  const home = answer?.data;
  const hasContent = home === undefined || home.recent.length > 0;
  return (
    <div class="page home">
      <header class="page-head">
        <h1>{start.value?.project}</h1>
      </header>
      <Alert class="page-problem" text={problem} retry={reload} />
      <HomeProblems />
      {hasContent ? <NewDocuments /> : <FirstSteps />}
      <UnsavedDocuments />
      {hasContent && (home || !problem) ? (
        <div class="home-columns">
          <Documents title="Recently edited" documents={home?.recent} empty="" />
          {shownTypes.value.some(hasDrafts) ? (
            <Documents title="Drafts that wait" documents={home?.waiting} empty="Everything is published." />
          ) : null}
        </div>
      ) : null}
      {home || problem ? (
        <ApiExample uid={home?.recent.find(({ status }) => status !== "draft")?.contentTypeUid} />
      ) : null}
    </div>
  );
}
