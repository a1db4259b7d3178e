/** Pasted HTML as Markdown. Loaded with the first of it. */
import { readHtml } from "../blocks/html.ts";
import { type HtmlTable, isTable } from "../blocks/html-tables.ts";
import type { Json } from "../blocks/read.ts";
import { linkUrl } from "./text-commands.ts";

/** What Markdown would read as a sign. Those of emphasis are none within a word. */
const SIGNS = /[\\`*[\]<|]|~~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const LINE_SIGNS = /^(?=(?:#{1,6}|[-+>]|={1,})(?:\s|$))|(?<=^\d{1,9})(?=[.)]\s)/gm;

const escaped = (text: string): string => text.replace(SIGNS, "\\$&");

const children = ({ children }: Json): readonly Json[] => children as readonly Json[];

const plainText = (nodes: readonly Json[]): string =>
  nodes.map((node) => (typeof node.text === "string" ? node.text : plainText(children(node)))).join("");

function codeText(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${text} ${fence}` : fence + text + fence;
}

const STYLE_SIGNS = [
  ["strikethrough", "~~"],
  ["italic", "_"],
  ["bold", "**"],
] as const;

/** Signs of styles stand at letters: spaces come before and behind them. */
function styledText({ text, code, ...styles }: Json): string {
  const [, before = "", words = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(String(text))!;
  if (words === "") return before;
  const signs = STYLE_SIGNS.filter(([style]) => styles[style] === true).map(([, sign]) => sign);
  const inner = code === true ? codeText(words) : escaped(words);
  return before + signs.reduce((outer, sign) => sign + outer + sign, inner) + after;
}

const stylesOf = ({ text: _, ...styles }: Json): string => JSON.stringify(styles);

/** Neighbours of one style are one text: signs between them would be none. */
function joined(nodes: readonly Json[]): Json[] {
  const found: Json[] = [];
  for (const node of nodes) {
    const last = found.at(-1);
    const isSame = last?.type === "text" && stylesOf(last) === stylesOf(node);
    if (isSame) found[found.length - 1] = { ...last, text: `${last.text}${node.text}` };
    else found.push(node);
  }
  return found;
}

const line = (nodes: readonly Json[]): string =>
  joined(nodes)
    .map((node) =>
      node.type === "link" ? `[${line(children(node))}](${linkUrl(String(node.url))})` : styledText(node),
    )
    .join("");

const textLines = (block: Json): string => line(children(block)).replaceAll("\n", "\\\n").replace(LINE_SIGNS, "\\");

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The first row is the head, which has to have as many columns as any other. */
function table({ rows }: HtmlTable): string {
  const columns = Math.max(...rows.map(({ length }) => length));
  const [head = [], ...rest] = rows.map((cells) => cells.map(line));
  const rule = Array.from({ length: columns }, () => "---");
  return [row(rule.map((_, index) => head[index] ?? "")), row(rule), ...rest.map(row)].join("\n");
}

function list(block: Json): string {
  let number = 0;
  return children(block)
    .map((child) => {
      if (child.type === "list") return list(child).replace(/^/gm, "   ");
      const sign = block.format === "ordered" ? `${++number}. ` : "- ";
      return sign + textLines(child).replaceAll("\n", "\n   ");
    })
    .join("\n");
}

const writers: Readonly<Record<string, (block: Json) => string>> = {
  paragraph: textLines,
  heading: (block) => `${"#".repeat(Number(block.level))} ${line(children(block)).replaceAll("\n", " ")}`,
  quote: (block) => textLines(block).replace(/^/gm, "> "),
  list,
  code: (block) => `\`\`\`${block.language ?? ""}\n${plainText(children(block))}\n\`\`\``,
};

/** Whether a block, or text in it, is more than lines of text. */
const isFormatted = ({ type, children: inner = [], ...rest }: Json): boolean =>
  type === "text" ? Object.keys(rest).length > 1 : type !== "paragraph" || (inner as readonly Json[]).some(isFormatted);

export interface HtmlMarkdown {
  readonly text: string;
  /** Rather than lines of its own. */
  readonly isLine: boolean;
  /** They are left out. */
  readonly hasImages: boolean;
}

/**
 * Undefined where its text says as much, and for code, such as of another editor, whose text may be Markdown; also where reading
 * it would take too long.
 */
export function htmlMarkdown(html: string): HtmlMarkdown | undefined {
  const { blocks: found = [], hasImages = false } = readHtml(html) ?? {};
  const blocks = found as readonly Json[];
  if (!blocks.some(isFormatted) || blocks.every(({ type }) => type === "code")) return undefined;
  const texts = blocks.map((block) => (isTable(block) ? table(block) : writers[String(block.type)]!(block)));
  const isLine = blocks.length === 1 && blocks[0]!.type === "paragraph";
  return { text: texts.join("\n\n"), isLine, hasImages };
}
