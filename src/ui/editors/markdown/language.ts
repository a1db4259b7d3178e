/** Markdown for CodeMirror, without the languages that may be inside of it. */
import { defineLanguageFacet, Language, LanguageSupport, languageDataProp } from "@codemirror/language";
import { GFM, type MarkdownConfig, parser } from "@lezer/markdown";

const data = defineLanguageFacet({ closeBrackets: { brackets: ["(", "[", "{", '"', "`"] } });

/** In characters. */
const MAX_STYLED = 10_000;

/** A paragraph is parsed as a whole with each key. Very long ones, such as the HTML of another system, have no styles inside. */
const plainLongText: MarkdownConfig = {
  parseInline: [
    { name: "LongText", before: "Escape", parse: ({ end, offset }) => (end - offset > MAX_STYLED ? end : -1) },
  ],
};

const language = new Language(
  data,
  parser.configure([GFM, plainLongText, { props: [languageDataProp.add((type) => (type.isTop ? data : undefined))] }]),
  [],
  "markdown",
);

export const markdownLanguage = new LanguageSupport(language);
