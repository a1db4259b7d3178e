/** Which of the panels is open that a key opens from anywhere. */
import { signal } from "@preact/signals";

export type PanelName = "palette" | "keys";

export const openPanel = signal<PanelName | undefined>(undefined);
