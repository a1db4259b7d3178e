/** Validates a configuration, with Strapi's messages. */
import { ApiError, type Problem } from "../../../lib/errors.ts";
import { checkShape, type Shape } from "../../../lib/shape.ts";
import {
  exactly,
  flag,
  isInteger,
  isPositive,
  listOf,
  objectOf,
  requiredFlag,
  requiredNumber,
  requiredText,
  text,
} from "../../body.ts";
import { type FindType, isDefaultSort } from "./configuration.ts";
import { isEditable, isListable, type ShownType } from "./shown-type.ts";

const nullableText: Shape = { ...text, nullable: true };
const anyValue: Shape = { type: "mixed" };

const atLeast = (min: number) => (value: number, path: string) =>
  value < min ? `${path} must be greater than or equal to ${min}` : undefined;
const atMost = (max: number) => (value: number, path: string) =>
  value > max ? `${path} must be less than or equal to ${max}` : undefined;

const listColumns = (type: ShownType): string[] =>
  Object.keys(type.attributes).filter((name) => isListable(type, name));

/** Strapi lists `id` last if it is not a column. */
const mainFields = (type: ShownType): string[] => [...new Set([...listColumns(type), "id"])];

const settingsShape = (type: ShownType): Shape =>
  exactly(
    {
      bulkable: requiredFlag,
      filterable: requiredFlag,
      pageSize: { ...requiredNumber, tests: [isInteger, atLeast(10), atMost(100)] },
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
    { nullable: true },
  );

function metadataShape(type: ShownType, name: string, find: FindType): Shape {
  const target = find(type.attributes[name]!.targetModel);
  return exactly({
    edit: exactly(
      {
        label: text,
        description: nullableText,
        placeholder: nullableText,
        editable: flag,
        visible: flag,
        mainField: target ? { ...text, oneOf: mainFields(target) } : text,
      },
      { required: true },
    ),
    list: exactly({ label: text, searchable: flag, sortable: flag }, { required: true }),
  });
}

const metadatasShape = (type: ShownType, find: FindType): Shape =>
  objectOf(Object.fromEntries(Object.keys(type.attributes).map((name) => [name, metadataShape(type, name, find)])), {
    nullable: true,
  });

const cellShape = (type: ShownType): Shape =>
  exactly({
    name: { ...requiredText, oneOf: Object.keys(type.attributes).filter((name) => isEditable(type, name)) },
    size: { ...requiredNumber, tests: [isInteger, isPositive] },
  });

const requiredArray = (path: string) => `${path} is required and must be an array`;

const layoutsShape = (type: ShownType): Shape =>
  objectOf(
    {
      edit: listOf(listOf(cellShape(type)), { required: true, missing: requiredArray }),
      list: listOf({ ...text, oneOf: listColumns(type) }, { required: true, missing: requiredArray }),
    },
    { nullable: true },
  );

/** Throws a BadRequestError with every problem as a sentence. */
export function checkConfiguration(type: ShownType, find: FindType, input: unknown): void {
  const problems: Problem[] = [];
  const fields = {
    settings: settingsShape(type),
    metadatas: metadatasShape(type, find),
    layouts: layoutsShape(type),
    options: anyValue,
  };
  checkShape(exactly(fields), input, "", problems);
  if (problems.length === 0) return;
  const errors = problems.map(({ message }) => message);
  throw new ApiError("MissingInputError", "Bad Request", { name: "validationError", errors });
}
