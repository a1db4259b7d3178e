/** Conditional requests: whether the client has an answer already. */

const weak = (tag: string): string => (tag.startsWith("W/") ? tag : `W/${tag}`);

/** Whether `If-None-Match` names the tag; tags are compared weakly. `*` stands for no tag. */
export const hasTag = (header: string, tag: string): boolean =>
  header.split(",").some((item) => weak(item.trim()) === weak(tag));
