/** `POST /admin/api/edits`: changes one attribute in many documents of a collection type. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { type AdminRoute, route as adminRoute, ok } from "../call.ts";
import { API_PATH } from "../session/session.ts";
import { previewEdit, runEdit, undoEdit } from "./bulk-edit.ts";
import { readEditRequest, readPreviewRequest, readUndoRequest } from "./input.ts";

export function bulkEditRoutes(context: DocumentsContext): AdminRoute[] {
  const route = (path: string, run: (body: unknown) => Promise<object>): AdminRoute =>
    adminRoute("POST", `${API_PATH}/edits${path}`, async ({ body }) => ok({ data: await run(await body()) }));
  return [
    route("", (body) => runEdit(context, readEditRequest(context, body))),
    route("/preview", (body) => previewEdit(context, readPreviewRequest(context, body))),
    route("/undo", (body) => undoEdit(context, readUndoRequest(context, body))),
  ];
}
