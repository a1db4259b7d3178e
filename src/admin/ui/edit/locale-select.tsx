/** Selects the locale of a document. */
import { isLocalized, start } from "../model.ts";
import type { OpenDocument } from "./open-document.ts";

interface LocaleSelectProps {
  readonly open: OpenDocument;
  /** Absent where the document is beside another one. */
  readonly onOpen?: (documentId: string | undefined, locale: string | undefined) => void;
}

export function LocaleSelect({ open, onOpen }: LocaleSelectProps) {
  const locales = start.value?.locales ?? [];
  if (!isLocalized(open.type) || locales.length < 2) return null;
  const existing = new Set(open.otherLocales.value.map(({ locale }) => locale));
  return (
    <select
      class="input input-inline"
      aria-label="Locale"
      value={open.locale}
      disabled={
        !onOpen ||
        (open.version.value === undefined && open.documentId === undefined && open.type.kind === "collectionType")
      }
      onChange={({ currentTarget }) => onOpen?.(open.documentId, currentTarget.value)}
    >
      {locales.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
          {code !== open.locale && !existing.has(code) ? " (new)" : ""}
        </option>
      ))}
    </select>
  );
}
