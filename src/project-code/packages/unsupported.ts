/** Exports of `@strapi/utils` that Galley does not have: each says so where it is used. */

const names = [
  "yup",
  "z",
  "validateYupSchema",
  "validateYupSchemaSync",
  "validateZodSchema",
  "getZodValidationErrors",
  "queryParams",
  "convertQueryParams",
  "traverse",
  "traverseEntity",
  "template",
  "file",
  "relations",
  "packageManager",
  "importDefault",
  "env",
  "AbstractRouteValidator",
  "extendMiddlewareConfiguration",
  "parseMultipartData",
] as const;

export const unsupportedUtils: PropertyDescriptorMap = Object.fromEntries(
  names.map((name) => [
    name,
    {
      configurable: true,
      enumerable: true,
      get(): never {
        throw new Error(`${name} of @strapi/utils is not there in Galley`);
      },
    },
  ]),
);
