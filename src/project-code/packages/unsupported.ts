/** Exports of `@strapi/utils` that Galley does not have: each says so where it is used. */

const names = [
  "queryParams",
  "traverse",
  "sanitize",
  "validate",
  "packageManager",
  "generateInstallId",
  "createModelCache",
  "AbstractRouteValidator",
  "createContentApiRoutesFactory",
  "filtersSchema",
  "localeSchema",
  "paginationSchema",
  "queryFieldsSchema",
  "queryParameterSchemas",
  "queryPopulateSchema",
  "querySortSchema",
  "searchQuerySchema",
  "statusSchema",
  "augmentSchema",
  "maybeReadonly",
  "maybeRequired",
  "maybeWithDefault",
  "maybeWithMinMax",
  "transformUidToValidOpenApiName",
  "sanitizeRouteForSerialization",
  "sanitizeRoutesArrayForSerialization",
  "sanitizeRoutesMapForSerialization",
  "getDeviceName",
  "parseUserAgent",
  "buildSessionMetadata",
  "sanitizeSessionEntry",
  "sortSessionsForDisplay",
  "buildPublicationFilterWhere",
  "parsePublicationFilter",
  "validatePublicationFilterQueryParam",
  "hasPublishedVersionBooleanToPublicationFilterMode",
  "parseHasPublishedVersionQueryParam",
  "hasSort",
  "emitAudit",
] as const;

export const unsupportedUtils: PropertyDescriptorMap = Object.fromEntries(
  names.map((name) => [
    name,
    {
      configurable: true,
      // Bun reads every enumerable export when a package loads the module
      enumerable: false,
      get(): never {
        throw new Error(`${name} of @strapi/utils is not there in Galley`);
      },
    },
  ]),
);
