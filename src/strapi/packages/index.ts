/** The packages that code can import without installing them. */
import { errors } from "./database-errors.ts";
import { type ProvidedName, providedNames } from "./names.ts";
import { strapiPackage } from "./strapi.ts";
import { transactionCtx } from "./transaction-context.ts";
import { strapiUtils, utilsModule } from "./utils.ts";

const DATABASE_KINDS: readonly unknown[] = ["sqlite", "mysql", "postgres"];
const database = {
  __esModule: true,
  errors,
  isDatabaseClientKind: (name: unknown): boolean => DATABASE_KINDS.includes(name),
};
/** As editors import them. */
const utilsErrors = (): object => ({ __esModule: true, ...strapiUtils().errors });
/** Public code imports it by its path, since the package does not export it. */
const transactionContext = { __esModule: true, transactionCtx };

export const providedPackages: Readonly<Record<ProvidedName, unknown>> = {
  "@strapi/strapi": strapiPackage,
  get "@strapi/utils"() {
    return utilsModule();
  },
  get "@strapi/utils/dist/errors"() {
    return utilsErrors();
  },
  get "@strapi/utils/dist/errors.js"() {
    return utilsErrors();
  },
  // types only
  "@strapi/types": { __esModule: true },
  "@strapi/database": database,
  "@strapi/database/dist/transaction-context": transactionContext,
  "@strapi/database/dist/transaction-context.js": transactionContext,
};

/** Packages that every installation of Strapi has, in its versions, loaded on first use. */
const companions: Readonly<Record<string, () => unknown>> = {
  "@koa/cors": () => require("@koa/cors"),
  "@koa/router": () => require("@koa/router"),
  "@strapi/logger": () => require("@strapi/logger"),
  "@sindresorhus/slugify": () => require("@sindresorhus/slugify"),
  bcryptjs: () => require("bcryptjs"),
  // a later version, whose functions are the same
  "date-fns": () => require("date-fns"),
  dotenv: () => require("dotenv"),
  // the server has read the file of the project: that of the working folder may be another one's
  "dotenv/config": () => ({}),
  "fs-extra": () => require("fs-extra"),
  graphql: () => require("graphql"),
  "http-errors": () => require("http-errors"),
  jsonwebtoken: () => require("jsonwebtoken"),
  koa: () => require("koa"),
  "koa-compose": () => require("koa-compose"),
  "koa-session": () => require("koa-session"),
  lodash: () => require("lodash"),
  "lodash/fp": () => require("lodash/fp"),
  "mime-types": () => require("mime-types"),
  pluralize: () => require("pluralize"),
  qs: () => require("qs"),
  winston: () => require("winston"),
  yup: () => require("yup"),
  zod: () => require("zod"),
};

/** Loads a module that Strapi bundles and the project has not installed; undefined for other paths. */
export function findCompanion(path: string): (() => unknown) | undefined {
  if (Object.hasOwn(companions, path)) return companions[path];
  const [, name, member] = /^(lodash(?:\/fp)?|date-fns)\/(\w+)$/.exec(path) ?? [];
  if (name === undefined || member === undefined) return undefined;
  const members = companions[name]!() as Readonly<Record<string, unknown>>;
  return Object.hasOwn(members, member) ? () => members[member] : undefined;
}

let isRegistered = false;

/** Provides the packages also to imports in `node_modules`. */
export function registerPackages(): void {
  if (isRegistered) return;
  isRegistered = true;
  Bun.plugin({
    name: "strapi packages",
    setup(build) {
      for (const name of providedNames) {
        build.module(name, () => ({ exports: providedPackages[name] as Record<string, unknown>, loader: "object" }));
      }
    },
  });
}
