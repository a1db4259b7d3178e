/** The contract between the page and its editors: what a field hands to an editor, and what it gets back. */

/** A file of the media library, as the API answers it. */
export type MediaFile = Readonly<Record<string, unknown>>;

/** What changes while an editor is open. */
export interface EditorState<Value> {
  readonly value: Value;
  readonly readOnly: boolean;
  /** The element with the message of a check that failed; undefined: there is none. */
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

export interface EditorOptions<Value> extends Partial<EditorState<Value>> {
  readonly value: Value;
  /** Called with each change by the user, before the next key; never for `update`. */
  readonly onChange: () => void;
  /** Called when typing pauses: what is wrong with the value, or undefined if that has been corrected. */
  readonly onProblem?: (problem: string | undefined) => void;
  /** The id of the element that is the field's label. */
  readonly labelledBy: string;
  readonly required?: boolean;
  /** The language of the text, as in HTML. */
  readonly lang?: string;
  /** Opens the media library; undefined when the user chooses nothing. Without it there is no button for images. */
  readonly pickImages?: () => Promise<readonly MediaFile[] | undefined>;
  /** Uploads images that were dropped or pasted. Rejects with an error whose message is for the user. */
  readonly uploadImages?: (files: readonly File[]) => Promise<readonly MediaFile[]>;
  /** Shows an error that belongs to no key of the text, such as a refused upload. */
  readonly onError?: (message: string) => void;
}

export interface Editor<Value> {
  /** The current value. Takes time in proportion to its length, so that it is not called with each key. */
  read(): Value;
  /** Sets a value from outside. Keeps the cursor and the undo history where possible. */
  update(state: Partial<EditorState<Value>>): void;
  focus(): void;
  /** Removes everything from the element. Nothing is called afterwards. */
  destroy(): void;
}

/** What each module of an editor exports as `mount`. */
export type Mount<Value> = (element: HTMLElement, options: EditorOptions<Value>) => Editor<Value>;

/** Images of pasted text are at the place that it is from, and not in the media library. */
export const WITHOUT_IMAGES = "The text was pasted without its images. Paste each image by itself";
