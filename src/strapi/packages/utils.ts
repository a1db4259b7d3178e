/** `@strapi/utils`, loaded when a project's code, or the answer to it, first needs it. */
import { ApiError } from "../../lib/errors.ts";

export type StrapiUtils = typeof import("@strapi/utils");
type ErrorClasses = StrapiUtils["errors"];
export type StrapiErrorName = Exclude<keyof ErrorClasses, "HttpError" | "YupValidationError">;
/** The errors of the package have `details`. */
export type StrapiError = InstanceType<ErrorClasses["ApplicationError"]>;

let loaded: StrapiUtils | undefined;

/** Extends `instanceof` of a class by other errors. */
function recognise(errorClass: object, isOther: (value: unknown) => boolean): void {
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    configurable: true,
    value(this: { readonly prototype: object }, value: unknown) {
      return (
        Object.prototype.isPrototypeOf.call(this.prototype, Object(value)) || (this === errorClass && isOther(value))
      );
    },
  });
}

/** Its error classes recognise the server's errors, so that code can catch both alike. */
export function strapiUtils(): StrapiUtils {
  if (loaded) return loaded;
  // by its file: the name is the module that code imports
  loaded = require("@strapi/utils/dist/index.js") as StrapiUtils;
  for (const [name, errorClass] of Object.entries(loaded.errors)) {
    if (name === "HttpError") continue;
    if (name === "ApplicationError") recognise(errorClass, (value) => value instanceof ApiError);
    else recognise(errorClass, (value) => value instanceof ApiError && value.name === name);
  }
  return loaded;
}

export const strapiError = (name: StrapiErrorName, message?: string, details?: object): StrapiError => {
  const ErrorClass = strapiUtils().errors[name] as new (message?: string, details?: object) => StrapiError;
  return new ErrorClass(message, details);
};

/** Whether an error is of a class of the package, or of the server's table with its name. */
export const isStrapiError = (error: unknown, name: StrapiErrorName): error is StrapiError =>
  loaded
    ? error instanceof loaded.errors[name]
    : error instanceof ApiError && (name === "ApplicationError" || error.name === name);

/** Whether code has created an error with a class of the package. */
export const isOfPackage = (error: unknown): error is StrapiError =>
  loaded !== undefined && Object.prototype.isPrototypeOf.call(loaded.errors.ApplicationError.prototype, Object(error));

let shared: object | undefined;

/** The module as code imports it: packages compiled from ES modules read the default export, which is the package itself. */
export function utilsModule(): object {
  shared ??= { __esModule: true, ...strapiUtils(), default: strapiUtils() };
  return shared;
}
