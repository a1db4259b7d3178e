/** The form of one document with its actions. Opened as a page, or in a dialog beside another document. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { documentHref } from "../document-href.ts";
import { documentName } from "../document-name.ts";
import { lazy } from "../lazy.tsx";
import { StatusBadge } from "../list/status-badge.tsx";
import { type ContentType, hasDrafts, isOfProject, schemaGeneration, start } from "../model.ts";
import { goTo, hrefTo } from "../router.ts";
import { NotFound } from "../shell/not-found.tsx";
import { useContentChanges } from "../use-content-changes.ts";
import { Button, IconButton } from "../widgets/button.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import { showDone, showProblem } from "../widgets/toasts.tsx";
import { DocumentMenu } from "./document-menu.tsx";
import type { Version } from "./document-requests.ts";
import { EditProvider, type SideDocument } from "./edit-context.ts";
import { BesideSource, GroupFields } from "./field-frame.tsx";
import { NEW } from "./form/recovery.ts";
import type { Group } from "./form/tree.ts";
import type { NoticeProps } from "./notices.tsx";
import { OpenDocument } from "./open-document.ts";
import { Rail } from "./rail.tsx";
import { useSource } from "./source.ts";
import { Heading, headingNode, TitleFrame } from "./title.tsx";
import { type Saving, useSaving } from "./use-saving.ts";
import { useUndo } from "./use-undo.ts";

const RemoteChangeNotice = lazy(async () => (await import("./notices.tsx")).RemoteChangeNotice);
const RecoveredNotice = lazy(async () => (await import("./notices.tsx")).RecoveredNotice);
const FileNotice = lazy(async () => (await import("../content-changes/file-notice.tsx")).FileNotice);
const PreviewActions = lazy(async () => (await import("../preview/preview-actions.tsx")).PreviewActions);
const NoFields = lazy(async () => (await import("./notices.tsx")).NoFields);
const RefusedFields = lazy(async () => (await import("./refused-fields.tsx")).RefusedFields);
const EmptySingle = lazy(async () => (await import("./empty-single.tsx")).EmptySingle);

export interface DocumentEditorProps {
  readonly type: ContentType;
  /** Undefined: a new one, or the one of a single type. */
  readonly documentId: string | undefined;
  readonly locale: string | undefined;
  /** Of a new one: the text of its main field. */
  readonly name?: string | undefined;
  readonly openBeside: (beside: SideDocument) => void;
  readonly onSaved?: (version: Version) => void;
  readonly onDeleted: () => void;
  /** See `OpenDocument`. */
  readonly place?: string;
  /** Above the form: the way back. */
  readonly before?: ComponentChildren;
  /** Absent where the document is beside another one. */
  readonly onOpen?: (documentId: string | undefined, locale: string | undefined) => void;
}

const renderGroup = (group: Group) => <GroupFields group={group} />;

/** Whether a single type of the project has no content, in this locale. */
function isEmptySingle({ type, isLoading, version, problem }: OpenDocument): boolean {
  const isEmpty = !isLoading.value && version.value === undefined && problem.value === undefined;
  return isEmpty && type.kind === "singleType" && isOfProject(type);
}

/** The recovered changes and somebody else's, and an error, which is shown at once: the server may be unreachable. */
function Notices({ open, onSaveAsNew }: NoticeProps) {
  const { recoveredAt, remoteChange, problem, isMissing, form } = open;
  return (
    <>
      {start.value?.syncsContent && open.version.value ? (
        <FileNotice uid={open.type.uid} documentId={open.version.value.documentId} />
      ) : null}
      {remoteChange.value ? <RemoteChangeNotice open={open} onSaveAsNew={onSaveAsNew} /> : null}
      {recoveredAt.value === undefined ? null : <RecoveredNotice open={open} />}
      {problem.value === undefined || isMissing.value ? null : (
        <div class="notice notice-problem" role="alert">
          <span>{problem.value}</span>
          {form.value ? null : (
            <Button
              kind="link"
              text="Try again"
              onClick={() => {
                problem.value = undefined;
                void open.open();
              }}
            />
          )}
        </div>
      )}
    </>
  );
}

function SaveActions({ open, save }: { readonly open: OpenDocument; readonly save: Saving["save"] }) {
  const canPublish = hasDrafts(open.type);
  const version = open.version.value;
  const isBusy = open.isBusy.value || open.isLoading.value;
  const canSave = !isBusy && (open.isChanged.value || version === undefined);
  const mayPublish = !isBusy && (version?.status !== "published" || open.isChanged.value);
  return (
    <>
      <Button
        kind={canPublish ? "plain" : "primary"}
        text="Save"
        // a disabled button would lose the focus while it saves
        aria-disabled={!canSave}
        aria-keyshortcuts="Control+S"
        title="Ctrl+S"
        onClick={() => {
          if (canSave) void save();
        }}
      />
      {canPublish ? (
        <Button
          kind="primary"
          text="Publish"
          aria-disabled={!mayPublish}
          aria-keyshortcuts="Control+Shift+Enter"
          title="Ctrl+Shift+Enter"
          onClick={() => {
            if (mayPublish) void save("publish");
          }}
        />
      ) : null}
    </>
  );
}

/** Where somebody goes to another page, which need not be on purpose. */
function reportUnsaved({ isChanged, type, documentId = NEW, locale }: OpenDocument): void {
  if (!isChanged.peek()) return;
  const back = documentHref({ uid: type.uid, documentId }, { locale });
  showDone(`Not saved, but kept in this browser: ${documentName.peek() ?? type.info.displayName}`, {
    label: "Back to it",
    run: () => goTo(back),
  });
}

const WAITING_FIELDS = 5;

export function DocumentEditor(props: DocumentEditorProps) {
  const { type, documentId, locale, name, openBeside, onSaved, onDeleted, place, before, onOpen } = props;
  const railId = useId();
  const section = useRef<HTMLElement>(null);
  const open = useMemo(() => new OpenDocument(type, documentId, locale, showProblem, place), []);
  useEffect(() => {
    const generation = schemaGeneration.peek();
    void open.open().then(() => name && open.nameIt(name));
    const storeUnsaved = (): void => open.storeUnsaved();
    window.addEventListener("pagehide", storeUnsaved);
    document.addEventListener("visibilitychange", storeUnsaved);
    return () => {
      storeUnsaved();
      if (onOpen && schemaGeneration.peek() === generation) reportUnsaved(open);
      window.removeEventListener("pagehide", storeUnsaved);
      document.removeEventListener("visibilitychange", storeUnsaved);
    };
  }, [open]);

  useContentChanges(() => {
    void open.refresh().then((isNewer) => {
      if (isNewer) showDone("Somebody else saved this document: it is shown as it is now");
    });
  });

  useUndo(open, section);
  const { isRefused, save, saveAsNew } = useSaving(open, { section, onSaved });
  const beside = useSource(open, onOpen !== undefined);
  const context = useMemo(
    () => ({ document: open, isReadOnly: false, beside, openBeside, renderGroup }),
    [open, beside],
  );
  const form = open.form.value;
  // a new one is begun by typing
  useEffect(() => {
    if (documentId === undefined && type.kind === "collectionType")
      section.current?.querySelector<HTMLElement>(".form :is(input, textarea, select):not(:disabled)")?.focus();
  }, [form !== undefined]);
  const title = form && headingNode(form, type);
  const version = open.version.value;
  if (open.isMissing.value)
    return (
      <NotFound
        what="There is no such document. It may have been deleted."
        leads={[
          [type.info.displayName, hrefTo("content", [type.uid])],
          ["Trash", hrefTo("trash")],
        ]}
      />
    );
  return (
    <section class="stack editor-page" ref={section} aria-busy={open.isLoading.value}>
      <div class="edit-side">
        <header class="row edit-head">
          <StatusBadge status={version?.status} />
          {open.isChanged.value ? <span class="hint edit-changed">Not saved</span> : null}
          <div class="page-actions" hidden={!form && open.problem.value !== undefined}>
            <SaveActions open={open} save={save} />
            <DocumentMenu open={open} onDeleted={onDeleted} {...(onOpen ? { onOpen } : {})} />
            <IconButton
              icon="panel"
              label="About this document"
              class="button-icon rail-opener"
              popovertarget={railId}
            />
          </div>
          {version && onOpen && start.value?.hasPreviews ? (
            <div class="edit-preview">
              <PreviewActions open={open} section={section} />
            </div>
          ) : null}
          <Notices open={open} onSaveAsNew={saveAsNew} />
          {isRefused && form ? <RefusedFields form={form} /> : null}
        </header>
        <Rail open={open} id={railId} {...(onOpen ? { onOpen } : {})} />
      </div>
      <div class="stack edit-main">
        {before}
        <Heading open={open} isPage={onOpen !== undefined} />
        {isEmptySingle(open) ? <EmptySingle open={open} /> : null}
        {form ? (
          <EditProvider value={context}>
            <div class="form" key={form.key}>
              {title ? (
                <BesideSource node={title} group={form}>
                  <TitleFrame node={title} group={form} />
                </BesideSource>
              ) : null}
              {form.nodes.size === 0 ? <NoFields type={type} /> : <GroupFields group={form} without={title} />}
            </div>
          </EditProvider>
        ) : open.problem.value === undefined ? (
          <SkeletonLines class="waiting-form" count={WAITING_FIELDS} />
        ) : null}
      </div>
    </section>
  );
}
