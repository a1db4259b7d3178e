/** Lets the user choose files of the media library. What is shown for it is loaded when it is first asked for. */
import { signal } from "@preact/signals";
import { lazy } from "../lazy.tsx";
import type { MediaFile } from "./media-files.ts";
import type { Picking, Wanted } from "./picking.ts";

const picking = signal<Picking | undefined>(undefined);

/** Resolves with the files; undefined when the user chooses nothing. */
export const pickFiles = (wanted: Wanted): Promise<readonly MediaFile[] | undefined> =>
  new Promise((resolve) => {
    picking.value = {
      ...wanted,
      answer: (files) => {
        picking.value = undefined;
        resolve(files);
      },
    };
  });

const Picker = lazy(async () => (await import("./picker.tsx")).Picker);

export const FilePicker = () => (picking.value ? <Picker {...picking.value} /> : null);
