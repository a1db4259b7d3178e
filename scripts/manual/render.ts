/** A page of the manual as HTML that needs nothing but its style sheet and its script, also from a folder on the disk. */
import type { ManualPage } from "./pages.ts";

/** Links to pages lead to their HTML, and those to files of the repository, which readers need not have, are their text. */
const withLinks = (html: string): string =>
  html
    .replaceAll(/<a href="([\w-]+)\.md(#[^"]*)?">/g, '<a href="$1.html$2">')
    .replaceAll(/<a href="(?:\.\.\/)+[^"]*">(.*?)<\/a>/g, "$1");

/** Headings link to themselves; tables scroll on their own, and a column without a name has no header. */
const withAnchors = (html: string): string =>
  html
    .replaceAll(/<h([2-4]) id="([^"]+)">(.*?)<\/h\1>/g, '<h$1 id="$2"><a href="#$2">$3</a></h$1>')
    .replaceAll(/<table>/g, '<div class="table" role="group" tabindex="0" aria-label="Table"><table>')
    .replaceAll(/<\/table>/g, "</table></div>")
    .replaceAll("<th></th>", "<td></td>")
    .replaceAll(/<pre>/g, '<pre tabindex="0">');

/** Fences may name a file beside the language: it stands above the code. */
const withFileNames = (markdown: string): string =>
  markdown.replaceAll(/^```(\w+) (\S+)$/gm, (_, language: string, file: string) => `\`${file}\`\n\`\`\`${language}`);

export const renderText = (markdown: string): string =>
  withAnchors(withLinks(Bun.markdown.html(withFileNames(markdown), { headings: { ids: true } })));

export interface Heading {
  readonly id: string;
  /** As HTML. */
  readonly text: string;
}

export const headingsOf = (html: string): readonly Heading[] =>
  [...html.matchAll(/<h2 id="([^"]+)"><a href="[^"]+">(.*?)<\/a><\/h2>/g)].map(([, id = "", text = ""]) => ({
    id,
    text,
  }));

function renderNavigation(pages: readonly ManualPage[], current: ManualPage): string {
  const sections = [...new Set(pages.map(({ section }) => section))];
  const link = ({ slug, title }: ManualPage): string =>
    `<li><a href="${slug}.html"${slug === current.slug ? ' aria-current="page"' : ""}>${Bun.escapeHTML(title)}</a></li>`;
  return sections
    .map((name) => {
      const items = pages.filter(({ section }) => section === name).map(link);
      return `<h2>${Bun.escapeHTML(name)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
    })
    .join("\n");
}

const neighbour = (page: ManualPage | undefined, rel: "prev" | "next"): string =>
  page ? `<a rel="${rel}" href="${page.slug}.html">${Bun.escapeHTML(page.title)}</a>` : "<span></span>";

export function renderPage(pages: readonly ManualPage[], page: ManualPage, version: string): string {
  const at = pages.indexOf(page);
  const body = renderText(page.text);
  const headings = headingsOf(body);
  const contents = headings.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`).join("\n");
  const title = Bun.escapeHTML(page.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Galley</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${Bun.escapeHTML(page.summary)}">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${page.slug}.md">
<link rel="stylesheet" href="manual.css">
<script defer src="manual.js"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="index.html">Galley <span>${Bun.escapeHTML(version)}</span></a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the manual" aria-keyshortcuts="/" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Pages that were found" hidden></ul>
</div>
<details class="menu"><summary>Pages</summary><nav aria-label="Pages, in a menu">${renderNavigation(pages, page)}</nav></details>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
${renderNavigation(pages, page)}
</nav>
<main id="text">
<h1>${title}</h1>
<p class="summary">${Bun.escapeHTML(page.summary)}</p>
${body}
<nav class="neighbours" aria-label="Previous and next page">${neighbour(pages[at - 1], "prev")}${neighbour(pages[at + 1], "next")}</nav>
</main>
${headings.length > 1 ? `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>\n${contents}\n</ul></nav>` : ""}
</div>
</body>
</html>
`;
}
