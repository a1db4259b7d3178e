/** The order of names, with and without `Intl`. */
import { expect, test } from "bun:test";
import { compareNames } from "../../src/ui/compare-names.ts";

test.each([
  [
    ["tag", "Author", "article", "Zoo"],
    ["article", "Author", "tag", "Zoo"],
  ],
  [
    ["Über", "Zoo", "Ufer", "Tal"],
    ["Tal", "Über", "Ufer", "Zoo"],
  ],
  [
    ["b", "", "a b", "a"],
    ["", "a", "a b", "b"],
  ],
])("%j are sorted to %j", (names, sorted) => {
  expect(names.toSorted(compareNames)).toEqual(sorted);
});
