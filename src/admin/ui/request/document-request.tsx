/** The request behind a document. */
import type { ContentType } from "../model.ts";
import { documentRequest } from "./content-request.ts";
import { RequestDialog } from "./request-dialog.tsx";

interface DocumentRequestProps {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | undefined;
  readonly onClose: () => void;
}

export const DocumentRequest = ({ type, documentId, locale, onClose }: DocumentRequestProps) => (
  <RequestDialog requestOf={(status) => documentRequest(type, documentId, locale, status)} onClose={onClose} />
);
