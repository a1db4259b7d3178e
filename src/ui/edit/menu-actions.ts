/** The actions of a document's menu, with their questions and messages. Loaded when one is chosen. */
import { confirm } from "../widgets/confirm.tsx";
import { showDone } from "../widgets/toasts.tsx";
import { deleteDocument, duplicate, performAction } from "./document-actions.ts";
import type { OpenDocument } from "./open-document.ts";

export interface ActionContext {
  readonly open: OpenDocument;
  readonly onDeleted: () => void;
  readonly onOpen: ((documentId: string | undefined, locale: string | undefined) => void) | undefined;
}

/** All of them throw the server's errors. */
export const menuActions = {
  async unpublish({ open }) {
    const isModified = open.version.peek()?.status === "modified";
    const isConfirmed = await confirm({
      title: "Unpublish this document?",
      text: `The Content API does not return it any more${open.locale === undefined ? "" : " in this locale"}. ${
        isModified
          ? "Its draft stays with its changes. What was published is in its history."
          : "Its draft stays, and can be published again."
      }`,
      action: "Unpublish",
    });
    if (!isConfirmed) return;
    await performAction(open, "unpublish");
    showDone("Unpublished");
  },
  async discard({ open }) {
    const isConfirmed = await confirm({
      title: "Discard the draft's changes?",
      text: "The draft becomes equal to the published version. Its changes are lost.",
      action: "Discard",
      isDangerous: true,
    });
    if (!isConfirmed) return;
    await performAction(open, "discard");
    showDone("The draft's changes were discarded");
  },
  async revert({ open }) {
    await open.revert();
  },
  async duplicate({ open, onOpen }) {
    onOpen?.(await duplicate(open), open.locale);
    showDone("Duplicated: this is the copy");
  },
  async delete({ open, onDeleted }) {
    const isOneOfLocales = open.otherLocales.value.length > 0;
    const isConfirmed = await confirm({
      title: isOneOfLocales ? "Delete this locale of the document?" : "Delete this document?",
      text: isOneOfLocales
        ? "Its draft and published version in this locale are deleted. The other locales stay. This cannot be undone."
        : "Its draft and published version are deleted. This cannot be undone.",
      action: "Delete",
      isDangerous: true,
    });
    if (!isConfirmed) return;
    await deleteDocument(open);
    showDone("Deleted");
    onDeleted();
  },
} satisfies Readonly<Record<string, (context: ActionContext) => Promise<void>>>;

export type ActionName = keyof typeof menuActions;
