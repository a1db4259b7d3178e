/** Selects the locale of a document. */
import { isLocalized, localeNames } from "../model.ts";
import { SelectField } from "../widgets/select.tsx";
import type { OpenDocument } from "./open-document.ts";

interface LocaleSelectProps {
  readonly open: OpenDocument;
  /** Absent where the document is beside another one. */
  readonly onOpen?: (documentId: string | undefined, locale: string | undefined) => void;
}

export function LocaleSelect({ open, onOpen }: LocaleSelectProps) {
  const locales = localeNames.value;
  if (!isLocalized(open.type) || locales.length < 2) return null;
  const existing = new Set(open.otherLocales.value.map(({ locale }) => locale));
  const isNew = (code: string): boolean => code !== open.locale && !existing.has(code);
  return (
    <SelectField
      label="Locale"
      class="input locale"
      value={open.locale}
      isDisabled={
        !onOpen ||
        (open.version.value === undefined && open.documentId === undefined && open.type.kind === "collectionType")
      }
      options={locales.map(([code, name]) => [code, isNew(code) ? `${name} (new)` : name])}
      onChoose={(code) => onOpen?.(open.documentId, code)}
    />
  );
}
