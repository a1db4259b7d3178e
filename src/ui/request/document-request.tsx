/** The request behind a document. */
import type { ContentType } from "../model.ts";
import { documentRequest } from "./content-request.ts";
import { RequestDialog } from "./request-dialog.tsx";

interface DocumentRequestProps {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | undefined;
  /** Whether it was never published. */
  readonly isDraft: boolean;
  readonly onClose: () => void;
}

export const DocumentRequest = ({ type, documentId, locale, isDraft, onClose }: DocumentRequestProps) => (
  <RequestDialog
    createRequest={(status) => documentRequest(type, documentId, locale, status)}
    shownStatus={isDraft ? "draft" : "published"}
    onClose={onClose}
  />
);
