/** What the editor of Markdown styles. */
import { describe, expect, test } from "bun:test";
import { markdownLanguage } from "../../../src/ui/editors/markdown/language.ts";

/** The kinds of nodes in a text, each once. */
function kindsIn(text: string): string[] {
  const kinds = new Set<string>();
  markdownLanguage.language.parser.parse(text).iterate({ enter: ({ name }) => void kinds.add(name) });
  return [...kinds];
}

const SENTENCE = "Some **bold** words, a [link](https://e.com) and ~~more~~. ";

describe("Markdown", () => {
  test("has styles in paragraphs of the length that people write", () => {
    expect(kindsIn(SENTENCE.repeat(100))).toContainEqual("StrongEmphasis");
  });

  test("has none in very long ones, which would take as long with each key, but in those around them", () => {
    const long = SENTENCE.repeat(3_000);
    expect(kindsIn(long)).toEqual(["Document", "Paragraph"]);
    expect(kindsIn(`# A *heading*\n\n${long}\n\n- ${SENTENCE}`)).toEqual(
      expect.arrayContaining(["ATXHeading1", "Emphasis", "ListItem", "Link", "Strikethrough"]),
    );
  });
});
