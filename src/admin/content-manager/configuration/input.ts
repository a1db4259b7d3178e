/** Validates a configuration, with Strapi's messages. */
import { ApiError, type Problem } from "../../../lib/errors.ts";
import { checkShape, type Shape } from "../../../lib/shape.ts";
import { type FindType, isDefaultSort } from "./configuration.ts";
import { isEditable, isListable, type ShownType } from "./shown-type.ts";

const text: Shape = { type: "string", strict: true };
const nullableText: Shape = { ...text, nullable: true };
const flag: Shape = { type: "boolean", strict: true };
const anyValue: Shape = { type: "mixed" };
const requiredFlag: Shape = { ...flag, required: true };

const isInteger = (value: number, path: string) => (Number.isInteger(value) ? undefined : `${path} must be an integer`);
const isPositive = (value: number, path: string) => (value > 0 ? undefined : `${path} must be a positive number`);
const atLeast = (min: number) => (value: number, path: string) =>
  value < min ? `${path} must be greater than or equal to ${min}` : undefined;
const atMost = (max: number) => (value: number, path: string) =>
  value > max ? `${path} must be less than or equal to ${max}` : undefined;

const listColumns = (type: ShownType): string[] =>
  Object.keys(type.attributes).filter((name) => isListable(type, name));

/** Strapi lists `id` last if it is not a column. */
const mainFields = (type: ShownType): string[] => [...new Set([...listColumns(type), "id"])];

const settingsShape = (type: ShownType): Shape => ({
  type: "object",
  strict: true,
  nullable: true,
  exact: true,
  fields: {
    bulkable: requiredFlag,
    filterable: requiredFlag,
    pageSize: { type: "number", strict: true, required: true, tests: [isInteger, atLeast(10), atMost(100)] },
    searchable: requiredFlag,
    mainField: { ...text, oneOf: mainFields(type) },
    defaultSortBy: {
      ...text,
      // an empty name is no sort, which Strapi accepts
      tests: [
        (value: string, path) =>
          value === "" || isDefaultSort(type, value) ? undefined : `${path} is not a valid sort attribute`,
      ],
    },
    defaultSortOrder: { ...text, oneOf: ["ASC", "DESC"] },
    relationOpenMode: { ...text, oneOf: ["modal", "page", "newTab"] },
  },
});

function metadataShape(type: ShownType, name: string, find: FindType): Shape {
  const target = find(type.attributes[name]!.targetModel);
  return {
    type: "object",
    strict: true,
    exact: true,
    fields: {
      edit: {
        type: "object",
        strict: true,
        required: true,
        exact: true,
        fields: {
          label: text,
          description: nullableText,
          placeholder: nullableText,
          editable: flag,
          visible: flag,
          mainField: target ? { ...text, oneOf: mainFields(target) } : text,
        },
      },
      list: {
        type: "object",
        strict: true,
        required: true,
        exact: true,
        fields: { label: text, searchable: flag, sortable: flag },
      },
    },
  };
}

const metadatasShape = (type: ShownType, find: FindType): Shape => ({
  type: "object",
  strict: true,
  nullable: true,
  fields: Object.fromEntries(Object.keys(type.attributes).map((name) => [name, metadataShape(type, name, find)])),
});

const cellShape = (type: ShownType): Shape => ({
  type: "object",
  strict: true,
  exact: true,
  fields: {
    name: { ...text, required: true, oneOf: Object.keys(type.attributes).filter((name) => isEditable(type, name)) },
    size: { type: "number", strict: true, required: true, tests: [isInteger, isPositive] },
  },
});

const listShape = (item: Shape): Shape => ({ type: "array", strict: true, item: () => item });
const requiredArray = (path: string) => `${path} is required and must be an array`;

const layoutsShape = (type: ShownType): Shape => ({
  type: "object",
  strict: true,
  nullable: true,
  fields: {
    edit: { ...listShape(listShape(cellShape(type))), required: true, missing: requiredArray },
    list: { ...listShape({ ...text, oneOf: listColumns(type) }), required: true, missing: requiredArray },
  },
});

/** Throws a BadRequestError with every problem as a sentence. */
export function checkConfiguration(type: ShownType, find: FindType, input: unknown): void {
  const problems: Problem[] = [];
  const fields = {
    settings: settingsShape(type),
    metadatas: metadatasShape(type, find),
    layouts: layoutsShape(type),
    options: anyValue,
  };
  checkShape({ type: "object", strict: true, exact: true, fields }, input, "", problems);
  if (problems.length === 0) return;
  const errors = problems.map(({ message }) => message);
  throw new ApiError("MissingInputError", "Bad Request", { name: "validationError", errors });
}
