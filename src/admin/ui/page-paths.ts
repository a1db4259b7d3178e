/** The first segments of the page's paths, below `/admin`. The server answers them with the page. */
export const pagePaths = ["content", "types", "media", "access", "locales"] as const;

export type PagePath = (typeof pagePaths)[number];
