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
    ["Page 10", "Page 2", "page", "Page 2b", "Page 02"],
    ["page", "Page 2", "Page 02", "Page 2b", "Page 10"],
  ],
  [
    ["Über 10", "Über 9"],
    ["Über 9", "Über 10"],
  ],
  [
    ["b", "", "a b", "a"],
    ["", "a", "a b", "b"],
  ],
])("%j are sorted to %j", (names, sorted) => {
  expect(names.toSorted(compareNames)).toEqual(sorted);
});
