/** A number of things, in words. */
export const countText = (count: number, one = "document", more = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : more}`;
