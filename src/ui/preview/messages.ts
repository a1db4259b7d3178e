/** The messages between the page and a previewed site: the names of Strapi, whose front ends answer them. */

/** From the site. */
export const PREVIEW_READY = "previewReady";
export const FOCUS_INTENT = "strapiFieldFocusIntent";

/** To the site. */
export const SCRIPT = "strapiScript";
export const UPDATE = "strapiUpdate";
export const FIELD_CHANGE = "strapiFieldChange";
export const FIELD_FOCUS = "strapiFieldFocus";
export const FIELD_BLUR = "strapiFieldBlur";

/** Which field of which document a text of the site is from, see `engine/documents/source-maps.ts`. */
export interface Source {
  readonly documentId: string;
  readonly path: string;
  /** The type of the document, or the component that has the field. */
  readonly model: string | null;
  readonly locale: string | null;
}

/** Undefined for what is not a source. */
export function parseSource(text: unknown): Source | undefined {
  if (typeof text !== "string") return undefined;
  const params = new URLSearchParams(text);
  const documentId = params.get("documentId");
  const path = params.get("fieldPath") ?? params.get("path");
  if (!documentId || !path) return undefined;
  return { documentId, path, model: params.get("model"), locale: params.get("locale") };
}
