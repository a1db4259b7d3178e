/** Another locale of an open document, whose texts stand beside its fields for those who translate them. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { type Attribute, type ContentType, localeName } from "../model.ts";
import { attempt } from "../widgets/toasts.tsx";
import { DocumentRequests } from "./document-requests.ts";
import { loadEditors } from "./fields/editor-fields.tsx";
import { createGroup, type Group } from "./form/tree.ts";
import { isLocalizedAttribute, readValues } from "./form/values.ts";
import type { OpenDocument } from "./open-document.ts";

export interface Source {
  readonly locale: string;
  readonly name: string;
  readonly group: Group;
}

/** Whoever translates one document goes on with the next. */
export const isSourceShown = signal(false);

const isTranslated = (attribute: Attribute): boolean =>
  isLocalizedAttribute(attribute) && attribute.type !== "relation" && attribute.type !== "media";

/** Throws the server's errors. */
async function readSource(type: ContentType, documentId: string | undefined, locale: string): Promise<Source> {
  const { version } = await new DocumentRequests(type, documentId, locale).read();
  const attributes = Object.fromEntries(Object.entries(type.attributes).filter(([, own]) => isTranslated(own)));
  const values = version ? readValues(attributes, version) : {};
  await loadEditors(attributes, values);
  return { locale, name: localeName(locale), group: createGroup(attributes, values, () => undefined) };
}

/** The first other locale of a document, while it is shown and has been read. */
export function useSource({ type, documentId, otherLocales, form }: OpenDocument, isPage: boolean): Source | undefined {
  const [source, setSource] = useState<Source | undefined>(undefined);
  const locale = isSourceShown.value && isPage && form.value ? otherLocales.value[0]?.locale : undefined;
  useEffect(() => {
    setSource(undefined);
    if (locale === undefined) return undefined;
    let isShown = true;
    void attempt(async () => {
      const found = await readSource(type, documentId, locale);
      if (isShown) setSource(found);
    });
    return () => {
      isShown = false;
    };
  }, [locale]);
  return source;
}
