/** The texts and the focal point of a file while they are edited. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useWork } from "../widgets/use-work.ts";
import type { MediaFile } from "./media-files.ts";
import type { Point } from "./point.ts";

export interface FileTexts {
  readonly name: string;
  readonly alternativeText: string;
  readonly caption: string;
  readonly focalPoint: Point | null;
}

const readTexts = ({ name, alternativeText, caption, focalPoint }: MediaFile): FileTexts => ({
  name,
  alternativeText: alternativeText ?? "",
  caption: (caption as string | null | undefined) ?? "",
  focalPoint: (focalPoint as Point | null | undefined) ?? null,
});

const isSame = (left: FileTexts, right: FileTexts): boolean => JSON.stringify(left) === JSON.stringify(right);

/** Where a text was changed by the user since `before`, it stays; others are those that are stored `now`. */
const merged = (texts: FileTexts, before: FileTexts, now: FileTexts): FileTexts => ({
  ...now,
  ...findChanges(texts, before),
});

/** What was not saved, by the id of its file: links and the browser's history close a file without a question. */
const unsaved = new Map<number, Partial<FileTexts>>();

/** Forgets what was not saved, once the user has given it up. */
export const forgetTexts = ({ id }: MediaFile): void => void unsaved.delete(id);

function findChanges(texts: FileTexts, saved: FileTexts): Partial<FileTexts> {
  const names = (Object.keys(saved) as (keyof FileTexts)[]).filter(
    (name) => JSON.stringify(texts[name]) !== JSON.stringify(saved[name]),
  );
  return Object.fromEntries(names.map((name) => [name, texts[name]]));
}

interface EditedTexts {
  readonly texts: FileTexts;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  readonly set: (change: Partial<FileTexts>) => void;
  /** Nothing if they are unchanged. */
  readonly save: () => Promise<void>;
}

/** `onSaved` is called after they were stored. */
export function useFileTexts(file: MediaFile, onSaved: () => void): EditedTexts {
  const saved = readTexts(file);
  const [texts, setTexts] = useState(() => ({ ...saved, ...unsaved.get(file.id) }));
  const [isSaving, run] = useWork();
  const shown = useRef(saved);
  // the file was saved, replaced or moved
  useEffect(() => {
    const before = shown.current;
    shown.current = saved;
    setTexts((current) => merged(current, before, saved));
  }, [file]);
  /** The last ones that were saved here: the file is loaded again after that. */
  const lastSaved = useRef<FileTexts>(undefined);
  const isChanged = !isSame(texts, saved) && texts !== lastSaved.current;
  useEffect(() => {
    if (isChanged) unsaved.set(file.id, findChanges(texts, saved));
    else unsaved.delete(file.id);
  }, [texts, file]);
  const save = async (): Promise<void> => {
    if (!isChanged) return;
    const put = async (): Promise<void> => {
      await api.put(`/upload/files/${file.id}`, { fileInfo: texts });
      lastSaved.current = texts;
      unsaved.delete(file.id);
    };
    if (await run(put, "Saved")) onSaved();
  };
  const set = (change: Partial<FileTexts>): void => setTexts((before) => ({ ...before, ...change }));
  return { texts, isChanged, isSaving, set, save };
}
