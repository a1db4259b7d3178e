/** The name of the document that the page shows, for the title of the window. Undefined if it shows none. */
import { signal } from "@preact/signals";

export const documentName = signal<string | undefined>(undefined);
