/** The menu of a document: every action besides saving and publishing. */
import { useState } from "preact/hooks";
import { lazy } from "../lazy.tsx";
import { hasDrafts, isOfProject, localeName } from "../model.ts";
import { goTo, HISTORY_PARAM, hrefTo, route, setParams } from "../router.ts";
import { Icon } from "../widgets/icon.tsx";
import { Menu } from "../widgets/menu.tsx";
import type { MenuItem } from "../widgets/menu-props.ts";
import { attempt, showDone } from "../widgets/toasts.tsx";
import type { FillInChoice } from "./fill-in-dialog.tsx";
import type { ActionContext, ActionName } from "./menu-actions.ts";
import type { OpenDocument } from "./open-document.ts";
import { isSourceShown } from "./source.ts";

interface DocumentMenuProps {
  readonly open: OpenDocument;
  readonly onDeleted: () => void;
  readonly onOpen?: (documentId: string | undefined, locale: string | undefined) => void;
}

const DocumentRequest = lazy(async () => (await import("../request/document-request.tsx")).DocumentRequest);
const History = lazy(async () => (await import("./history.tsx")).History);
const FillInDialog = lazy(async () => (await import("./fill-in-dialog.tsx")).FillInDialog);
const Compare = lazy(async () => (await import("./compare.tsx")).Compare);

const runner = (context: ActionContext) => (name: ActionName) => (): Promise<unknown> =>
  attempt(async () => (await import("./menu-actions.ts")).menuActions[name](context));

/** Locales in a menu; more are chosen in a dialog. */
const MAX_LOCALE_ITEMS = 4;

const fillIn = (open: OpenDocument, locale: string): Promise<unknown> =>
  attempt(async () => {
    await open.fillIn(locale);
    showDone("Filled in, not saved yet");
  });

/** The other locales in which the document exists. */
function otherLocales(open: OpenDocument): FillInChoice[] {
  return open.otherLocales.value.flatMap(({ locale }) =>
    locale === undefined || locale === open.locale ? [] : { code: locale, name: localeName(locale) },
  );
}

/** Actions that show other locales, or fill the form with their values. */
function localeItems(open: OpenDocument, isPage: boolean, choose: () => void): MenuItem[] {
  const choices = otherLocales(open);
  const [first] = choices;
  const beside: MenuItem[] =
    isPage && first
      ? [
          {
            id: "beside",
            label: isSourceShown.value ? `Hide ${first.name}` : `Show ${first.name} beside`,
            run: () => {
              isSourceShown.value = !isSourceShown.peek();
            },
          },
        ]
      : [];
  if (choices.length > MAX_LOCALE_ITEMS)
    return [...beside, { id: "fill", label: "Fill in from another locale", run: choose }];
  const fills = choices.map(({ code, name }) => ({
    id: `fill-${code}`,
    label: `Fill in from ${name}`,
    run: () => fillIn(open, code),
  }));
  return [...beside, ...fills];
}

export function DocumentMenu({ open, onDeleted, onOpen }: DocumentMenuProps) {
  const [isComparing, setIsComparing] = useState(false);
  const [isRequestOpen, setIsRequestOpen] = useState(false);
  const [isHistoryOpen, setIsHistoryOpen] = useState(false);
  // a link has opened it
  const isHistoryLinked = onOpen !== undefined && route.value.search.has(HISTORY_PARAM);
  const [isFillingIn, setIsFillingIn] = useState(false);
  const closeHistory = (): void => {
    setIsHistoryOpen(false);
    if (isHistoryLinked) setParams({ [HISTORY_PARAM]: undefined }, { replace: true });
  };
  const version = open.version.value;
  const run = runner({ open, onDeleted, onOpen });
  const isCollection = open.type.kind === "collectionType";
  const status = version?.status;
  const isPublished = status === "published" || status === "modified";
  const isStored = version !== undefined && isOfProject(open.type);
  const withDrafts = (item: MenuItem): MenuItem[] => (hasDrafts(open.type) ? [item] : []);
  const items: MenuItem[] = [
    ...withDrafts({
      id: "compare",
      label: "Compare with the published version",
      isDisabled: !isPublished,
      run: () => setIsComparing(true),
    }),
    ...(isStored ? [{ id: "history", label: "History", run: () => setIsHistoryOpen(true) }] : []),
    ...localeItems(open, onOpen !== undefined, () => setIsFillingIn(true)),
    ...(isCollection && version && onOpen ? [{ id: "duplicate", label: "Duplicate", run: run("duplicate") }] : []),
    ...(isStored ? [{ id: "request", label: "API request", run: () => setIsRequestOpen(true) }] : []),
    ...(isOfProject(open.type) && onOpen
      ? [{ id: "view", label: "Configure the form", run: () => goTo(hrefTo("views", [open.type.uid])) }]
      : []),
    ...withDrafts({ id: "unpublish", label: "Unpublish", isDisabled: !isPublished, run: run("unpublish") }),
    ...(open.isChanged.value && version
      ? [{ id: "revert", label: "Discard unsaved changes", run: run("revert") }]
      : []),
    ...withDrafts({
      id: "discard",
      label: "Discard the draft's changes",
      isDisabled: status !== "modified",
      isDangerous: true,
      run: run("discard"),
    }),
    ...(version
      ? [
          {
            id: "delete",
            label: open.otherLocales.value.length > 0 ? "Delete this locale" : "Delete",
            isDangerous: true,
            run: run("delete"),
          },
        ]
      : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Menu label="More actions" items={items}>
        <Icon name="more" />
      </Menu>
      {isRequestOpen && version ? (
        <DocumentRequest
          type={open.type}
          documentId={version.documentId}
          locale={open.locale}
          isDraft={version.status === "draft"}
          onClose={() => setIsRequestOpen(false)}
        />
      ) : null}
      {(isHistoryOpen || isHistoryLinked) && version ? <History open={open} onClose={closeHistory} /> : null}
      {isFillingIn ? (
        <FillInDialog
          choices={otherLocales(open)}
          onFillIn={(code) => void fillIn(open, code)}
          onClose={() => setIsFillingIn(false)}
        />
      ) : null}
      {isComparing ? <Compare open={open} onClose={() => setIsComparing(false)} /> : null}
    </>
  );
}
