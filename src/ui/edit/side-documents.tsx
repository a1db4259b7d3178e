/** The dialogs of documents that are opened beside what is edited. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { defaultLocale, findType, isLocalized } from "../model.ts";
import { Announcer } from "../widgets/announce.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { DocumentEditor } from "./document-editor.tsx";
import type { SideDocument } from "./edit-context.ts";
import type { RelatedDocument } from "./form/values.ts";

interface SideDialogProps {
  readonly beside: SideDocument;
  /** How many documents are below it. */
  readonly depth: number;
  readonly openBeside: (beside: SideDocument) => void;
  readonly close: () => void;
}

function SideDialog({ beside, depth, openBeside, close }: SideDialogProps) {
  const type = findType(beside.uid);
  if (!type) return null;
  const locale = isLocalized(type) ? (beside.locale ?? defaultLocale()) : undefined;
  const isNew = beside.documentId === undefined;
  return (
    <Dialog title={type.info.displayName} shape="side" onClose={close}>
      <DocumentEditor
        type={type}
        documentId={beside.documentId}
        locale={locale}
        name={beside.name}
        place={`beside ${depth}`}
        openBeside={openBeside}
        onSaved={(version) => {
          beside.onSaved(version as RelatedDocument);
          if (isNew) close();
        }}
        onDeleted={close}
      />
      <Announcer />
    </Dialog>
  );
}

interface SideDocuments {
  readonly openBeside: (beside: SideDocument) => void;
  /** To be rendered outside of a form. */
  readonly dialogs: ComponentChildren;
}

export function useSideDocuments(): SideDocuments {
  const [stack, setStack] = useState<readonly { readonly id: number; readonly beside: SideDocument }[]>([]);
  const openBeside = (beside: SideDocument): void =>
    setStack((open) => [...open, { id: (open.at(-1)?.id ?? 0) + 1, beside }]);
  const close = (beside: SideDocument): void => setStack((open) => open.filter((item) => item.beside !== beside));
  const dialogs = stack.map(({ id, beside }, index) => (
    <SideDialog key={id} beside={beside} depth={index + 1} openBeside={openBeside} close={() => close(beside)} />
  ));
  return { openBeside, dialogs };
}
