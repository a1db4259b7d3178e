/** The pages of the manual in the terminal: `galley help rest`. */
import { readManual } from "../server/docs/manual.ts";

const EXTENSION = ".md";

/** In the order of the manual. */
export async function topicNames(): Promise<readonly string[]> {
  const names = [...(await readManual()).keys()].filter((name) => name.endsWith(EXTENSION));
  return names.map((name) => name.slice(0, -EXTENSION.length));
}

/** As Markdown, or formatted for a terminal that shows it. Undefined for an unknown topic. */
export async function readTopic(name: string, columns: number | undefined): Promise<string | undefined> {
  const content = (await readManual()).get(`${name}${EXTENSION}`);
  if (!content) return undefined;
  const text = new TextDecoder().decode(content);
  return columns === undefined ? text : Bun.markdown.ansi(text, { columns });
}
