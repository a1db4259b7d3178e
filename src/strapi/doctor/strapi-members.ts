/** Finds members of `strapi` that are not there: using one fails when the function runs that contains it. */
import { type Finding, lineAt } from "./calls.ts";

/** The members of `strapi`, separated by spaces. */
export const STRAPI_MEMBERS: ReadonlySet<string> = new Set(
  (
    "EE add admin ai api apis app auth components config contentAPI contentType contentTypes controller controllers cron " +
    "customFields db destroy dirs documents ee entityService entityValidator eventHub features fetch fs get getModel has hook hooks " +
    "internal_config isLoaded log makeCore middleware middlewares plugin plugins policies policy query reload requestContext " +
    "sanitizers server " +
    "service services sessionManager stop stopWithError store telemetry validators webhookRunner webhookStore"
  ).split(" "),
);

/** A member, unless the code checks whether it is there or is a property of something else. */
const MEMBER = /(?<![\w$.]|\.\s*)strapi\s*\.\s*(\w+)(?!\s*\?\.|\w)/g;
/** Members that code adds by itself: `strapi.io = …`, `strapi["io"] = …`, `strapi.add("io", …)`, `Object.assign(strapi, { io })`. */
const ADDED = [
  /\bstrapi\s*(?:as\s+\w+\s*\)\s*)?\.\s*(\w+)\s*(?:=(?!=)|\?\?=|\|\|=)/g,
  /\bstrapi\s*\[\s*["'`](\w+)["'`]\s*\]\s*=(?!=)/g,
  /\bstrapi\s*\.\s*add\s*\(\s*["'`](\w+)/g,
  /\bdefineProperty\s*\(\s*strapi\s*,\s*["'`](\w+)/g,
];
const ASSIGNS = /\bObject\s*\.\s*assign\s*\(\s*strapi\b/;

/** A file in which `strapi` is the package. Built plugins import it under this name. */
const IS_PACKAGE =
  /\b(?:const|let|var)\s+strapi\s*=\s*require\(\s*["']@strapi\/strapi["']|\bimport\s+(?:\*\s*as\s+)?strapi\s+from\s*["']@strapi\/strapi["']/;

interface Source {
  readonly file: string;
  readonly text: string;
}

const isComment = (text: string, index: number): boolean =>
  /^\s*(?:\/\/|\/?\*)/.test(text.slice(text.lastIndexOf("\n", index) + 1, index + 1)) ||
  /\/\/[^\n]*$/.test(text.slice(text.lastIndexOf("\n", index) + 1, index));

/** Whether the text before it in its line suggests a string: an odd number of quotes. */
const isQuoted = (text: string, index: number): boolean => {
  const before = text.slice(text.lastIndexOf("\n", index) + 1, index);
  return ['"', "'", "`"].some((quote) => (before.split(quote).length - 1) % 2 === 1);
};

/** Whether the file checks anywhere that the member is there. */
const isTested = (text: string, member: string): boolean =>
  new RegExp(
    `typeof\\s+strapi\\.${member}\\b|\\bstrapi\\.${member}\\s*(?:&&|\\|\\||\\?|[=!]==?)|[(!&|]\\s*strapi\\.${member}\\s*\\)`,
  ).test(text);

/** `sources`: all files of the project's code, since one may add what another uses. */
export function findUnknownMembers(sources: readonly Source[]): Finding[] {
  if (sources.some(({ text }) => ASSIGNS.test(text))) return [];
  const added = new Set(
    sources.flatMap(({ text }) => ADDED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name))),
  );
  return sources.flatMap(({ file, text }) =>
    (IS_PACKAGE.test(text) ? [] : [...text.matchAll(MEMBER)]).flatMap(({ index, 1: name = "" }): Finding[] => {
      if (STRAPI_MEMBERS.has(name) || added.has(name)) return [];
      if (isComment(text, index) || isQuoted(text, index) || isTested(text, name)) return [];
      const advice = "it is undefined, so that calling it or reading from it fails";
      return [{ file, line: lineAt(text, index), what: `strapi.${name}`, effect: "does not exist", advice }];
    }),
  );
}
