/** When an attribute is shown, as the form of content-types reads and writes it. */
import { describe, expect, test } from "bun:test";
import { createConditions, readVisibility, withRenamedCondition } from "../../src/ui/pages/content-types/visibility.ts";

const shownIf = (visible: unknown) => ({ type: "string", conditions: { visible } });

describe("the condition of an attribute", () => {
  test.each([
    [undefined, "always"],
    [{ "==": [{ var: "kind" }, "video"] }, { attribute: "kind", operator: "==", value: "video" }],
    [{ "!=": [{ var: "isLong" }, true] }, { attribute: "isLong", operator: "!=", value: true }],
    [{ and: [{ var: "kind" }, true] }, "other"],
    [{ "==": [{ var: "kind" }, { var: "other" }] }, "other"],
    [{ "==": [{ var: "kind" }, "a"], "!=": [{ var: "kind" }, "b"] }, "other"],
    [{ "==": [{ var: ["kind", "a"] }, "video"] }, "other"],
    ["words", "other"],
  ])("%j is read as %j", (rule, read) => {
    expect(readVisibility(shownIf(rule))).toEqual(read as never);
    if (typeof read === "object") expect(createConditions(read as never)).toEqual({ visible: rule });
  });

  test("a renamed attribute is renamed in it, at any depth", () => {
    const rule = { and: [{ "==": [{ var: "kind" }, "kind"] }, { "!": { var: "other" } }] };
    expect(withRenamedCondition(shownIf(rule), "kind", "sort")).toEqual(
      shownIf({ and: [{ "==": [{ var: "sort" }, "kind"] }, { "!": { var: "other" } }] }),
    );
    expect(withRenamedCondition({ type: "string" }, "kind", "sort")).toEqual({ type: "string" });
  });
});
