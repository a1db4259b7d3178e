/** Unsupported exports of `@strapi/utils`. Using one throws an error that names it. */

/** Code may import a function without calling it. */
const functions = [
  "generateInstallId",
  "createModelCache",
  "AbstractRouteValidator",
  "createContentApiRoutesFactory",
  "augmentSchema",
  "maybeReadonly",
  "maybeRequired",
  "maybeWithDefault",
  "maybeWithMinMax",
  "sanitizeRouteForSerialization",
  "sanitizeRoutesArrayForSerialization",
  "sanitizeRoutesMapForSerialization",
  "getDeviceName",
  "parseUserAgent",
  "buildSessionMetadata",
  "sanitizeSessionEntry",
  "sortSessionsForDisplay",
  "buildPublicationFilterWhere",
  "emitAudit",
] as const;

const objects = [
  "packageManager",
  "filtersSchema",
  "localeSchema",
  "paginationSchema",
  "queryFieldsSchema",
  "queryParameterSchemas",
  "queryPopulateSchema",
  "querySortSchema",
  "searchQuerySchema",
  "statusSchema",
] as const;

const absent = (name: string): Error => new Error(`${name} of @strapi/utils is not supported by Galley`);

const descriptorOf = (name: string): PropertyDescriptor => ({
  configurable: true,
  // Bun reads every enumerable export when a package loads the module
  enumerable: false,
  get(): never {
    throw absent(name);
  },
});

const functionOf = (name: string): PropertyDescriptor => ({
  configurable: true,
  enumerable: true,
  value: function absentFunction(): never {
    throw absent(name);
  },
});

export const unsupportedUtils: PropertyDescriptorMap = Object.fromEntries([
  ...functions.map((name) => [name, functionOf(name)]),
  ...objects.map((name) => [name, descriptorOf(name)]),
]);
