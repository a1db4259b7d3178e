/** The page of one document, and the dialogs of documents that are opened beside it. */
import { useState } from "preact/hooks";
import { documentHref } from "../document-href.ts";
import { listHref } from "../list/last-list.ts";
import { FilePicker } from "../media/pick-files.tsx";
import { type ContentType, defaultLocale, isLocalized, schemaGeneration } from "../model.ts";
import { goTo, hrefTo, route } from "../router.ts";
import { Announcer } from "../widgets/announce.tsx";
import { Icon } from "../widgets/icon.tsx";
import { DocumentEditor } from "./document-editor.tsx";
import { NEW } from "./form/recovery.ts";
import { useSideDocuments } from "./side-documents.tsx";

export interface EditPageProps {
  readonly type: ContentType;
  /** Undefined for single types. */
  readonly documentId: string | undefined;
}

/** The form of another locale takes the place of the one whose choice of locales had the focus; a sheet with it is closed. */
function focusLocale(): void {
  const [locale, opener] = [".rail .locale", ".rail-opener"].map((name) => document.querySelector<HTMLElement>(name));
  (locale?.checkVisibility() ? locale : opener)?.focus();
}

export function EditPage({ type, documentId }: EditPageProps) {
  const { search } = route.value;
  const locale = isLocalized(type) ? (search.get("locale") ?? defaultLocale()) : undefined;
  const { openBeside, dialogs } = useSideDocuments();
  const own = documentId === NEW ? undefined : documentId;
  const localeParam = locale === defaultLocale() ? undefined : locale;
  const list = listHref(type.uid, localeParam);
  // the URL changes to the new document's after the first save; the form stays mounted
  const [saved, setSaved] = useState<string>();
  const key = saved !== undefined && saved === own ? NEW : (own ?? NEW);
  return (
    <div class="edit">
      <DocumentEditor
        key={`${key}|${locale ?? ""}|${schemaGeneration.value}`}
        type={type}
        documentId={own}
        locale={locale}
        openBeside={openBeside}
        before={
          type.kind === "collectionType" ? (
            <nav class="back" aria-label="Back">
              <a href={list} class="button-link">
                <Icon name="back" /> {type.info.displayName}
              </a>
            </nav>
          ) : null
        }
        onSaved={(version) => {
          if (type.kind === "singleType" || own === version.documentId) return;
          setSaved(version.documentId);
          goTo(hrefTo("content", [type.uid, version.documentId], { locale: localeParam }), { replace: true });
        }}
        onDeleted={() => goTo(type.kind === "singleType" ? hrefTo("content", [type.uid]) : list)}
        onOpen={(id, code) => {
          goTo(documentHref({ uid: type.uid, documentId: id ?? NEW }, { locale: code }));
          if (id === own) requestAnimationFrame(focusLocale);
        }}
      />
      {dialogs}
      <FilePicker />
      <Announcer />
    </div>
  );
}
