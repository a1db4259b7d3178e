/** Validation errors of the server in the words of a form. */
import { describe, expect, test } from "bun:test";
import { problemText } from "../../src/ui/edit/form/problem-text.ts";

describe("the text of a problem at a field", () => {
  test.each([
    ["code must be at least 5 characters", "Must be at least 5 characters"],
    ["quotes[0].code must be at least 5 characters", "Must be at least 5 characters"],
    ["code must be defined.", "Required"],
    ["code cannot be null.", "Required"],
    ["code must be a `string` type, but the final value was: `null`.", "Required"],
    ['code must be a `number` type, but the final value was: `NaN` (cast from the value `"1,5"`).', "Must be a number"],
    ["code must be a `boolean` type, but the final value was: `{\n}`.", "Must be of type boolean"],
    ["code must be one of the following values: one, two, ", "Must be one of: one, two"],
    ["This attribute must be unique", "This attribute must be unique"],
    ["other must be defined.", "other must be defined."],
  ])("%p", (message, text) => {
    expect(problemText(message, "code")).toBe(text);
  });
});
