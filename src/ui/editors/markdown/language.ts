/** Markdown for CodeMirror, without the languages that may be inside of it. */
import { defineLanguageFacet, Language, LanguageSupport, languageDataProp } from "@codemirror/language";
import { GFM, parser } from "@lezer/markdown";

const data = defineLanguageFacet({ closeBrackets: { brackets: ["(", "[", "{", '"', "`"] } });

const language = new Language(
  data,
  parser.configure([GFM, { props: [languageDataProp.add((type) => (type.isTop ? data : undefined))] }]),
  [],
  "markdown",
);

export const markdownLanguage = new LanguageSupport(language);
