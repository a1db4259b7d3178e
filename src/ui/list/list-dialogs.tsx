/** The dialogs of a list, one of which is open at a time. Rows that are pasted into the page open theirs. */
import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import { lazy } from "../lazy.tsx";
import { type ContentType, isOfProject } from "../model.ts";
import { route, setParams } from "../router.ts";
import { useDocumentEvent } from "../use-document-event.ts";
import type { ListQuery } from "./list-query.ts";
import { viewQuery } from "./views.ts";

const FilterDialog = lazy(async () => (await import("./filter-dialog.tsx")).FilterDialog);
const ColumnsDialog = lazy(async () => (await import("./columns-dialog.tsx")).ColumnsDialog);
const ListRequest = lazy(async () => (await import("../request/list-request.tsx")).ListRequest);
const PasteDialog = lazy(async () => (await import("./paste/paste-dialog.tsx")).PasteDialog);
const SaveViewDialog = lazy(async () => (await import("./save-view-dialog.tsx")).SaveViewDialog);
const SampleDialog = lazy(async () => (await import("./sample-dialog.tsx")).SampleDialog);

interface DialogProps {
  readonly type: ContentType;
  readonly query: ListQuery;
  /** The rows that were pasted into the page; empty if the dialog was opened without any. */
  readonly pasted: string;
  readonly onClose: () => void;
}

const dialogs = {
  filters: ({ type, query, onClose }) => <FilterDialog type={type} filters={query.filters} onClose={onClose} />,
  columns: ({ type, query, onClose }) => (
    <ColumnsDialog
      type={type}
      columns={query.columns}
      onApply={(columns) => setParams({ columns: columns?.join() })}
      onClose={onClose}
    />
  ),
  paste: ({ type, query, pasted, onClose }) => (
    <PasteDialog type={type} locale={query.locale} text={pasted} onClose={onClose} />
  ),
  sample: ({ type, query, onClose }) => <SampleDialog type={type} locale={query.locale} onClose={onClose} />,
  saveView: ({ type, onClose }) => (
    <SaveViewDialog uid={type.uid} query={viewQuery(route.value.search)} onClose={onClose} />
  ),
  request: ({ type, query, onClose }) => <ListRequest type={type} query={query} onClose={onClose} />,
} satisfies Readonly<Record<string, (props: DialogProps) => ComponentChild>>;

export type ListDialog = keyof typeof dialogs;

export interface ListDialogs {
  readonly open: (dialog: ListDialog) => void;
  /** To be rendered in the page. */
  readonly dialog: ComponentChild;
}

export function useListDialogs(type: ContentType, query: ListQuery): ListDialogs {
  const [opened, setOpened] = useState<{ readonly name: ListDialog; readonly pasted: string }>();
  useDocumentEvent("paste", ({ target, clipboardData }) => {
    const text = clipboardData?.getData("text/plain") ?? "";
    if ((target as Element).closest("input, textarea, dialog") || !text.trim().includes("\n")) return;
    if (isOfProject(type)) setOpened({ name: "paste", pasted: text });
  });
  return {
    open: (name) => setOpened({ name, pasted: "" }),
    dialog: opened && dialogs[opened.name]({ type, query, pasted: opened.pasted, onClose: () => setOpened(undefined) }),
  };
}
