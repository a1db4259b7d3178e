/** A number of documents, in words. */
export const countText = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? "document" : "documents"}`;
