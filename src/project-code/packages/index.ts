/** The packages that code finds whether or not they are installed. */
import type { ProvidedName } from "./names.ts";
import { strapiPackage } from "./strapi.ts";
import { utilsPackage } from "./utils/index.ts";

export const providedPackages: Readonly<Record<ProvidedName, unknown>> = {
  "@strapi/strapi": strapiPackage,
  "@strapi/utils": utilsPackage,
  // types only
  "@strapi/types": { __esModule: true },
};

/** Packages that come with every installation of the reference, for projects that have none: loaded when they are used. */
export const companionPackages: Readonly<Record<string, () => unknown>> = {
  "@sindresorhus/slugify": () => require("@sindresorhus/slugify"),
  lodash: () => require("lodash"),
  "lodash/fp": () => require("lodash/fp"),
  "mime-types": () => require("mime-types"),
  qs: () => require("qs"),
};

let isRegistered = false;

/** Packages of `node_modules` find them, too. */
export function registerPackages(): void {
  if (isRegistered) return;
  isRegistered = true;
  Bun.plugin({
    name: "strapi packages",
    setup(build) {
      for (const [name, exports] of Object.entries(providedPackages)) {
        build.module(name, () => ({ exports: exports as Record<string, unknown>, loader: "object" }));
      }
    },
  });
}
