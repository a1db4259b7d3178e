/** Conditional requests. */

const weak = (tag: string): string => (tag.startsWith("W/") ? tag : `W/${tag}`);

/** Whether `If-None-Match` contains the tag, by weak comparison. `*` does not match. */
export const hasTag = (header: string, tag: string): boolean =>
  header.split(",").some((item) => weak(item.trim()) === weak(tag));
