/** The packages that code finds whether or not they are installed. */
import { strapiPackage } from "./strapi.ts";
import { utilsPackage } from "./utils.ts";

export const providedPackages: Readonly<Record<string, unknown>> = {
  "@strapi/strapi": strapiPackage,
  "@strapi/utils": utilsPackage,
  // types only
  "@strapi/types": { __esModule: true },
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
