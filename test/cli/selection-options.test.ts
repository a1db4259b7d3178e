import { describe, expect, test } from "bun:test";
import type { CommandCall } from "../../src/cli/command.ts";
import { checkContentTypes, parseSelection } from "../../src/cli/selection-options.ts";

const ARTICLE = "api::article.article";
const known = [ARTICLE, "api::author.author", "plugin::upload.file", "plugin::upload.folder"];

const parse = (options: Readonly<Record<string, string>>) => {
  const selection = parseSelection({ text: (name: string) => options[name] } as CommandCall);
  checkContentTypes(selection, known);
  return selection;
};

describe("what Strapi refuses is refused in its words, with a suggestion", () => {
  const refusals: readonly (readonly [options: Readonly<Record<string, string>>, message: string])[] = [
    [
      { only: "contnt,x" },
      'Invalid options for "only": contnt,x; did you mean content? (it takes content, files, config)',
    ],
    [{ only: "" }, 'Invalid options for "only":  (it takes content, files, config)'],
    [{ only: "media-library" }, 'Invalid options for "only": media-library (it takes content, files, config)'],
    [
      { exclude: "file" },
      'Invalid options for "exclude": file; did you mean files? (it takes content, files, config, media-library)',
    ],
    [
      { only: "content,config", exclude: "config" },
      'Data types may not be used in both "exclude" and "only" in the same command. Found in both: config',
    ],
    [
      { only: "files", exclude: "media-library" },
      'Data types may not be used in both "exclude" and "only" in the same command. Found in both: files',
    ],
    [
      { "only-content-types": `api::author.author, ${ARTICLE}`, "exclude-content-types": ARTICLE },
      `Content types may not be used in both "--exclude-content-types" and "--only-content-types". Found in both: ${ARTICLE}`,
    ],
    [
      { "only-content-types": "plugin::upload.file", exclude: "media-library" },
      'Content types may not be used in both "--exclude-content-types" and "--only-content-types". Found in both: plugin::upload.file',
    ],
    [
      { "only-content-types": "api::artcle.article, foo" },
      `Unknown content type(s) for --only-content-types: api::artcle.article; did you mean ${ARTICLE}?, foo`,
    ],
    [{ "exclude-content-types": "shared.seo" }, "Unknown content type(s) for --exclude-content-types: shared.seo"],
    [{ "exclude-content-types": "" }, "Unknown content type(s) for --exclude-content-types: "],
  ];
  for (const [options, message] of refusals)
    test(JSON.stringify(options), () => expect(() => parse(options)).toThrow(new Error(message)));
});

test("lists may have spaces, and types of the administration are known", () => {
  const selection = parse({ only: "content, config", "exclude-content-types": " admin::user,api::author.author" });
  expect([selection.has("entities"), selection.has("assets"), selection.has("configuration")]).toEqual([
    true,
    false,
    true,
  ]);
  expect([ARTICLE, "api::author.author"].map((uid) => selection.hasType(uid))).toEqual([true, false]);
});
