/** The first path segments below `/admin` for which the server sends the page. */
export const pagePaths = ["content", "types", "media", "access", "locales"] as const;

export type PagePath = (typeof pagePaths)[number];
