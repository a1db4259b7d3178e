/** The page of one document, and those that are opened beside it. */
import { useState } from "preact/hooks";
import { FilePicker } from "../media/pick-files.tsx";
import { type ContentType, defaultLocale, isLocalized, schemaGeneration, typeOf } from "../model.ts";
import { goTo, hrefTo, place } from "../router.ts";
import { Announcer } from "../widgets/announce.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { Icon } from "../widgets/icon.tsx";
import { DocumentEditor } from "./document-editor.tsx";
import type { Beside } from "./edit-context.ts";
import type { Related } from "./form/values.ts";

/** In the URL, instead of an id. */
const NEW = "new";

export interface EditPageProps {
  readonly type: ContentType;
  /** Undefined for single types. */
  readonly documentId: string | undefined;
}

interface BesideProps {
  readonly beside: Beside;
  readonly openBeside: (beside: Beside) => void;
  readonly close: () => void;
}

function BesideDialog({ beside, openBeside, close }: BesideProps) {
  const type = typeOf(beside.uid);
  if (!type) return null;
  const locale = isLocalized(type) ? (beside.locale ?? defaultLocale()) : undefined;
  const isNew = beside.documentId === undefined;
  return (
    <Dialog title={type.info.displayName} shape="side" onClose={close}>
      <DocumentEditor
        type={type}
        documentId={beside.documentId}
        locale={locale}
        openBeside={openBeside}
        onSaved={(version) => {
          beside.onSaved(version as Related);
          if (isNew) close();
        }}
        onDeleted={close}
      />
    </Dialog>
  );
}

export function EditPage({ type, documentId }: EditPageProps) {
  const [stack, setStack] = useState<readonly { readonly id: number; readonly beside: Beside }[]>([]);
  const { search } = place.value;
  const locale = isLocalized(type) ? (search.get("locale") ?? defaultLocale()) : undefined;
  const openBeside = (beside: Beside): void =>
    setStack((open) => [...open, { id: (open.at(-1)?.id ?? 0) + 1, beside }]);
  const close = (beside: Beside): void => setStack((open) => open.filter((item) => item.beside !== beside));
  const own = documentId === NEW ? undefined : documentId;
  const localeParam = locale === defaultLocale() ? undefined : locale;
  const list = hrefTo("content", [type.uid], { locale: localeParam });
  // the new document's own URL takes the place of that of the form, which stays
  const [saved, setSaved] = useState<string>();
  const key = saved !== undefined && saved === own ? NEW : (own ?? NEW);
  return (
    <div class="edit">
      {type.kind === "collectionType" ? (
        <nav class="back" aria-label="Back">
          <a href={list} class="button-link">
            <Icon name="back" /> {type.info.displayName}
          </a>
        </nav>
      ) : null}
      <DocumentEditor
        key={`${key}|${locale ?? ""}|${schemaGeneration.value}`}
        type={type}
        documentId={own}
        locale={locale}
        openBeside={openBeside}
        onSaved={(version) => {
          if (type.kind === "singleType" || own !== undefined) return;
          setSaved(version.documentId);
          goTo(hrefTo("content", [type.uid, version.documentId], { locale: localeParam }), { replace: true });
        }}
        onDeleted={() => goTo(type.kind === "singleType" ? hrefTo("content", [type.uid]) : list)}
        onOpen={(id, code) => {
          const segments = type.kind === "singleType" ? [type.uid] : [type.uid, id ?? NEW];
          goTo(hrefTo("content", segments, { locale: code }));
        }}
      />
      {stack.map(({ id, beside }) => (
        <BesideDialog key={id} beside={beside} openBeside={openBeside} close={() => close(beside)} />
      ))}
      <FilePicker />
      <Announcer />
    </div>
  );
}
