/** The request behind a list. */
import type { ListQuery } from "../list/list-query.ts";
import type { ContentType } from "../model.ts";
import { listRequest } from "./content-request.ts";
import { RequestDialog } from "./request-dialog.tsx";

interface ListRequestProps {
  readonly type: ContentType;
  readonly query: ListQuery;
  readonly onClose: () => void;
}

export const ListRequest = ({ type, query, onClose }: ListRequestProps) => (
  <RequestDialog
    createRequest={(status) => listRequest(type, query, status)}
    // published versions alone would be none
    shownStatus={query.status === "draft" ? "draft" : "published"}
    onClose={onClose}
  />
);
