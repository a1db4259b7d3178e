/** Structured text: a list of block nodes. Unknown keys are kept, as in Strapi. */
import { tryParseJson } from "../../lib/coerce.ts";
import { MAX_DEPTH, measureDepth } from "../../lib/depth.ts";
import type { Problem } from "../../lib/errors.ts";
import { checkShape, type Shape, type Test } from "../../lib/shape.ts";
import type { ScalarType } from "./attribute-type.ts";
import { fromJson, restoreJson } from "./json.ts";
import { textOperand } from "./text-rules.ts";

const PROTOCOLS = new Set(["http:", "https:", "ftp:", "mailto:", "tel:"]);

const optional = (type: Shape["type"]): Shape => ({ type });
const nullable = (type: Shape["type"]): Shape => ({ type, nullable: true });
const required = (type: Shape["type"]): Shape => ({ type, required: true });
const tag = (...names: string[]): Shape => ({ type: "string", oneOf: names, required: true });
const refused = (message: string): Shape => ({ type: "mixed", tests: [() => message] });

const typeOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? (value as { type?: unknown }).type : undefined;

/** Chooses the shape of a node by its `type`. */
const byType =
  (shapes: Readonly<Record<string, Shape>>, message: string) =>
  (node: unknown): Shape => {
    const type = typeOf(node);
    if (node === null || node === undefined) return { type: "object" };
    return typeof type === "string" && Object.hasOwn(shapes, type) ? shapes[type]! : refused(message);
  };

const atLeastOne =
  (message: string): Test =>
  (value: unknown[]) =>
    value.length === 0 ? message : undefined;

const children = (item: (node: unknown) => Shape, emptyMessage?: string): Shape => ({
  type: "array",
  required: true,
  item,
  ...(emptyMessage ? { tests: [atLeastOne(emptyMessage)] } : {}),
});

const isLink: Test = (url: string) => {
  const absolute = url.startsWith("/") ? `https://example.com${url}` : url;
  return URL.canParse(absolute) && PROTOCOLS.has(new URL(absolute).protocol)
    ? undefined
    : "Please specify a valid link.";
};

const textNode: Shape = {
  type: "object",
  fields: {
    type: tag("text"),
    text: { type: "string", required: true, missing: () => "Text must be defined with at least an empty string" },
    bold: optional("boolean"),
    italic: optional("boolean"),
    underline: optional("boolean"),
    strikethrough: optional("boolean"),
    code: optional("boolean"),
  },
};
// an empty string is allowed here, unlike in other required fields
const textNodeShape: Shape = {
  ...textNode,
  fields: { ...textNode.fields, text: { ...textNode.fields!.text!, required: false } },
};
const text = (node: unknown): Shape =>
  typeof node === "object" && node !== null && (node as { text?: unknown }).text == null ? textNode : textNodeShape;

const linkNode: Shape = {
  type: "object",
  fields: {
    type: tag("link"),
    url: { type: "string", tests: [isLink], required: true, missing: () => "Please specify a valid link." },
    children: children(text),
  },
};

const inline = (node: unknown): Shape =>
  typeOf(node) === "text" ? text(node) : byType({ link: linkNode }, "Inline node must be Text or Link")(node);

const prose = (type: string, name: string, fields: Readonly<Record<string, Shape>> = {}): Shape => ({
  type: "object",
  fields: {
    type: tag(type),
    ...fields,
    children: children(inline, `${name} node children must have at least one Text or Link node`),
  },
});

const listItem: Shape = { type: "object", fields: { type: tag("list-item"), children: children(inline) } };

const list: Shape = {
  type: "object",
  fields: {
    type: tag("list"),
    format: tag("ordered", "unordered"),
    children: children(
      (node) =>
        typeOf(node) === "list"
          ? list
          : byType({ "list-item": listItem }, "Inline node must be list-item or list")(node),
      "List node children must have at least one ListItem or ListNode",
    ),
  },
};

const image: Shape = {
  type: "object",
  fields: {
    type: tag("image"),
    image: {
      type: "object",
      emptyIfMissing: true,
      fields: {
        name: required("string"),
        alternativeText: nullable("string"),
        url: required("string"),
        caption: nullable("string"),
        width: required("number"),
        height: required("number"),
        formats: nullable("object"),
        hash: required("string"),
        ext: required("string"),
        mime: required("string"),
        size: required("number"),
        previewUrl: nullable("string"),
        provider: required("string"),
        createdAt: required("string"),
        updatedAt: required("string"),
      },
    },
    children: children(inline),
  },
};

const block = byType(
  {
    paragraph: prose("paragraph", "Paragraph"),
    heading: prose("heading", "Heading", { level: { type: "number", oneOf: [1, 2, 3, 4, 5, 6], required: true } }),
    quote: prose("quote", "Quote"),
    list,
    image,
    code: {
      type: "object",
      fields: {
        type: tag("code"),
        language: nullable("string"),
        // Strapi names the quote node in this message too
        children: children(text, "Quote node children must have at least one Text or Link node"),
      },
    },
  },
  "Block node is of invalid type",
);

function validateBlocks(value: unknown, path: string): Problem[] {
  if (measureDepth(value) > MAX_DEPTH) {
    return [{ path, message: `${path} must not be nested deeper than ${MAX_DEPTH} levels` }];
  }
  const problems: Problem[] = [];
  checkShape({ type: "array", item: block }, value, path, problems);
  return problems;
}

/** A list, or a JSON string of one; null for any other value. */
function parseList(value: unknown): unknown {
  const list = typeof value === "string" ? tryParseJson(value) : value;
  return Array.isArray(list) ? list : null;
}

export const blocks: ScalarType = {
  name: "blocks",
  ignoresUnique: true,
  column: { affinity: "TEXT" },
  isLong: true,
  expects: { name: "array", is: Array.isArray },
  cast: parseList,
  validateNested: validateBlocks,
  restore: restoreJson,
  store: (value) => {
    if (value === null) return null;
    return JSON.stringify(checkShape({ type: "array", item: block }, value, "", []));
  },
  load: fromJson,
  operand: textOperand,
  graphqlName: "JSON",
};
