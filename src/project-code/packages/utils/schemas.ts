/** `yup` and `z` of `@strapi/utils`, with the reference's additions. Both are loaded on first use. */
import type * as Yup from "yup";
import type * as Zod from "zod/v4";
import { ValidationError, YupValidationError } from "../errors.ts";
import { strings } from "./values.ts";

const isUnique = (list: readonly unknown[], position: number, read: (item: unknown) => unknown): boolean =>
  list.every((item, index) => index === position || read(item) !== read(list[position]));

type Tests = (this: Yup.AnySchema, ...args: readonly never[]) => Yup.AnySchema;

/** A yup method that adds one test. Its argument replaces the message. */
const testOf = (name: string, defaultText: string, isValid: (value: unknown) => boolean): Tests =>
  function (this: Yup.AnySchema, message?: string) {
    return this.test(name, message ?? (({ path }) => `${path} ${defaultText}`), (value: unknown) => isValid(value));
  } as Tests;

function addMethods(yup: typeof Yup): void {
  const isText = (isValid: (text: string) => boolean) => (value: unknown) => !value || isValid(String(value));
  const isFunction = (value: unknown): boolean => typeof value === "function";
  // biome-ignore format: a table
  const methods: readonly (readonly [schema: unknown, name: string, method: Tests])[] = [
    [yup.mixed, "notNil", testOf("defined", "must be defined.", (value) => value !== undefined && value !== null)],
    [yup.mixed, "notNull", testOf("defined", "cannot be null.", (value) => value !== null)],
    [yup.mixed, "isFunction", testOf("is a function", "is not a function", (value) => value === undefined || isFunction(value))],
    [yup.string, "isCamelCase", testOf("is in camelCase", "is not in camel case (anExampleOfCamelCase)", isText(strings.isCamelCase))],
    [yup.string, "isKebabCase", testOf("is in kebab-case", "is not in kebab case (an-example-of-kebab-case)", isText(strings.isKebabCase))],
    [yup.object, "onlyContainsFunctions", testOf("only contains functions", "contains values that are not functions", (value) => value === undefined || (value !== null && Object.values(value as object).every(isFunction)))],
  ];
  for (const [schema, name, method] of methods) yup.addMethod(schema as typeof yup.mixed, name, method as never);
  yup.addMethod(yup.array, "uniqueProperty", function (this: Yup.AnySchema, property: string, message: string) {
    return this.test("unique", message, function (list: unknown) {
      const { get } = require("lodash") as typeof import("lodash");
      if (!Array.isArray(list)) return true;
      const duplicates = [...list.keys()].filter((index) => !isUnique(list, index, (item) => get(item, property)));
      if (duplicates.length === 0) return true;
      const errors = duplicates.map((index) =>
        this.createError({ path: `${this.path}[${index}].${property}`, message }),
      );
      throw new yup.ValidationError(errors as never);
    });
  } as never);
}

/** Yup's message without its advice about null, which is not meant for clients. */
const notType = ({ path, type, value, originalValue }: Readonly<Record<string, unknown>>): string => {
  const format = (what: unknown): string =>
    typeof what === "string" ? `"${what}"` : (JSON.stringify(what) ?? String(what));
  const isCast = originalValue !== null && originalValue !== undefined && originalValue !== value;
  const cast = isCast ? ` (cast from the value \`${format(originalValue)}\`).` : ".";
  return `${path} must be a \`${type}\` type, but the final value was: \`${format(value)}\`${cast}`;
};

let loaded: (typeof Yup & Record<string, unknown>) | undefined;

function loadYup(): typeof Yup & Record<string, unknown> {
  if (loaded) return loaded;
  const yup = require("yup") as typeof Yup;
  addMethods(yup);
  yup.setLocale({ mixed: { notType: notType as never } });
  /** The id of a row: a number or a string. */
  class StrapiIDSchema extends yup.BaseSchema {
    constructor() {
      super({ type: "strapiID" });
    }

    protected override _typeCheck(value: unknown): value is string | number {
      return typeof value === "string" || (typeof value === "number" && Number.isInteger(value) && value >= 0);
    }
  }
  loaded = { ...yup, StrapiIDSchema, strapiID: () => new StrapiIDSchema() };
  return loaded;
}

type ValidateOptions = Readonly<Record<string, unknown>>;

const asValidationError = (error: unknown, message: string | undefined): unknown =>
  error instanceof loadYup().ValidationError ? new YupValidationError(error as never, message) : error;

const options = (ownOptions: ValidateOptions): ValidateOptions => ({ strict: true, abortEarly: false, ...ownOptions });

const validateYupSchema =
  (schema: Yup.AnySchema, ownOptions: ValidateOptions = {}) =>
  async (body: unknown, message?: string): Promise<unknown> => {
    try {
      return (await schema.validate(body, options(ownOptions))) as unknown;
    } catch (error) {
      throw asValidationError(error, message);
    }
  };

const validateYupSchemaSync =
  (schema: Yup.AnySchema, ownOptions: ValidateOptions = {}) =>
  (body: unknown, message?: string): unknown => {
    try {
      return schema.validateSync(body, options(ownOptions)) as unknown;
    } catch (error) {
      throw asValidationError(error, message);
    }
  };

export const loadZod = (): typeof Zod => require("zod/v4") as typeof Zod;

const validateZodSchema =
  (schema: Zod.ZodType) =>
  (data: unknown, message?: string): unknown => {
    const result = schema.safeParse(data);
    if (result.success) return result.data;
    const { issues } = result.error;
    const errors = issues.map((issue) => ({
      path: issue.path.map(String),
      message: issue.message,
      name: "ValidationError",
      value: undefined,
    }));
    throw new ValidationError(message || (issues[0]?.message ?? "Validation error"), { errors });
  };

/** The first message for each path. */
function zodMessages({ issues }: Zod.ZodError): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const issue of issues) messages[issue.path.join(".")] ??= issue.message;
  return messages;
}

export const schemas = {
  validateYupSchema,
  validateYupSchemaSync,
  validateZodSchema,
  getZodValidationErrors: zodMessages,
};

/** Getters, so that importing `@strapi/utils` loads neither. */
export const schemaPackages: PropertyDescriptorMap = {
  yup: { configurable: true, enumerable: true, get: loadYup },
  z: { configurable: true, enumerable: true, get: loadZod },
};
