/**
 * The manual as a static site: a page of HTML and one of Markdown for each topic, what its search needs, and the texts for
 * programs that read documentation (`llms.txt`).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import type { ManualPage } from "./pages.ts";
import { renderPage, renderText } from "./render.ts";

/** A part of a page that a search finds: from a heading to the next one. */
interface SearchEntry {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  /** Empty for what stands before the first heading. */
  readonly id: string;
  readonly text: string;
}

const fileBeside = (name: string): string => readFileSync(join(import.meta.dir, name), "utf8");

const plainText = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();

function searchEntries({ slug, title, summary, text }: ManualPage): SearchEntry[] {
  const [first = "", ...parts] = renderText(text).split(/(?=<h[2-4] id=)/);
  const entries = parts.map((part) => {
    const [, id = "", heading = "", rest = ""] = /^<h[2-4] id="([^"]+)">(.*?)<\/h[2-4]>([\s\S]*)$/.exec(part) ?? [];
    return { page: slug, title, heading: plainText(heading), id, text: plainText(rest) };
  });
  return [{ page: slug, title, heading: "", id: "", text: `${summary} ${plainText(first)}` }, ...entries];
}

const markdownOf = ({ title, summary, text }: ManualPage): string => `# ${title}\n\n${summary}\n\n${text.trim()}\n`;

const INTRODUCTION = `# Galley

> A content server in one executable. Point it at a Strapi 5 project, or at an archive that \`strapi export\` wrote, and it
> responds as a Strapi 5 server does: REST, GraphQL, uploads, users and permissions, API tokens, draft & publish, locales.
`;

/** As https://llmstxt.org describes it: what Galley is, and its pages by section. */
function listForPrograms(pages: readonly ManualPage[]): string {
  const sections = [...new Set(pages.map(({ section }) => section))].map((name) => {
    const items = pages.filter(({ section }) => section === name);
    const lines = items.map(({ title, slug, summary }) => `- [${title}](/docs/manual/${slug}.md): ${summary}`);
    return `## ${name}\n\n${lines.join("\n")}\n`;
  });
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

/** By file name. `index.html` is the first page. */
export function buildSite(pages: readonly ManualPage[]): ReadonlyMap<string, string> {
  const [first] = pages;
  if (!first) throw new Error("The manual has no pages");
  return new Map([
    ["index.html", renderPage(pages, first, version)],
    ...pages.map((page) => [`${page.slug}.html`, renderPage(pages, page, version)] as const),
    ...pages.map((page) => [`${page.slug}.md`, markdownOf(page)] as const),
    ["manual.css", fileBeside("manual.css")],
    ["manual.js", fileBeside("manual.js")],
    ["search.js", `found(${JSON.stringify(pages.flatMap(searchEntries))});\n`],
    ["llms.txt", listForPrograms(pages)],
    ["llms-full.txt", [INTRODUCTION, ...pages.map(markdownOf)].join("\n")],
  ]);
}
