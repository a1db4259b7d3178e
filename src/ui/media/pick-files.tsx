/** Lets the user choose files of the media library. The dialog is loaded on first use. */
import { signal } from "@preact/signals";
import { lazy } from "../lazy.tsx";
import type { MediaFile } from "./media-files.ts";
import type { PickOptions, PickRequest } from "./pick-request.ts";

const pickRequest = signal<PickRequest | undefined>(undefined);

/** Resolves with the files; undefined when the user chooses nothing. */
export const pickFiles = (options: PickOptions): Promise<readonly MediaFile[] | undefined> =>
  new Promise((resolve) => {
    pickRequest.value = {
      ...options,
      answer: (files) => {
        pickRequest.value = undefined;
        resolve(files);
      },
    };
  });

const Picker = lazy(async () => (await import("./picker.tsx")).Picker);

export const FilePicker = () => (pickRequest.value ? <Picker {...pickRequest.value} /> : null);
