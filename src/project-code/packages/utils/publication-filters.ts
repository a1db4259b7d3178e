/** Functions of `@strapi/utils` for `publicationFilter` and its older form `hasPublishedVersion`. */
import { ApiError } from "../../../errors.ts";
import { readPublicationFilter } from "../../../query/publication-filter.ts";
import { ValidationError } from "../errors.ts";

/** Throws a ValidationError without the name of a request parameter. */
function read(params: Readonly<Record<string, unknown>>) {
  try {
    return readPublicationFilter(params);
  } catch (error) {
    throw error instanceof ApiError ? new ValidationError(error.message) : error;
  }
}

const parsePublicationFilter = (publicationFilter: unknown) => read({ publicationFilter });

const modeOf = (hasPublishedVersion: boolean) => read({ hasPublishedVersion: Boolean(hasPublishedVersion) });

function parseHasPublishedVersion(hasPublishedVersion: unknown): boolean | undefined {
  const mode = read({ hasPublishedVersion });
  return mode && mode === modeOf(true);
}

/** `api::article.article` as `ApiArticleArticleDocument`. */
const openApiName = (uid: string): string =>
  `${uid
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Document`;

export const publicationFilters = {
  parsePublicationFilter,
  /** The error names the parameter. */
  validatePublicationFilterQueryParam: (publicationFilter: unknown) =>
    void readPublicationFilter({ publicationFilter }),
  hasPublishedVersionBooleanToPublicationFilterMode: modeOf,
  parseHasPublishedVersionQueryParam: parseHasPublishedVersion,
  transformUidToValidOpenApiName: openApiName,
};
