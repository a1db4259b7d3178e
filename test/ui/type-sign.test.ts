import { expect, test } from "bun:test";
import { type SignedType, typeSign } from "../../src/ui/type-sign.ts";

test.each<[SignedType, string]>([
  [{ kind: "collectionType", singularName: "author" }, "user"],
  [{ kind: "collectionType", singularName: "blog-author" }, "user"],
  // the last word says what it is
  [{ kind: "collectionType", singularName: "author-note" }, "documents"],
  [{ kind: "singleType", singularName: "homepage" }, "home"],
  [{ kind: "singleType", singularName: "imprint" }, "single"],
  [{ kind: "collectionType" }, "documents"],
  [{ kind: "collectionType", singularName: "constructor" }, "documents"],
])("the sign of %j is %s", (type, sign) => {
  expect(typeSign(type)).toBe(sign as never);
});
