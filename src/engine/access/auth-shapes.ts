/** The bodies of requests about registration, passwords and confirmations. */
import { checkBody, type Shape, type Test } from "../../lib/shape.ts";
import { isEmail } from "../attributes/email.ts";

export const emailTest: Test = (value: string, path) =>
  value === "" || isEmail(value) ? undefined : `${path} must be a valid email`;

const text = (...tests: Test[]): Shape => ({ type: "string", strict: true, required: true, tests });
const lengthTest: Test = (value: string) =>
  Buffer.byteLength(value) > 72 ? "Password must be less than 73 bytes" : undefined;
const body = (fields: Record<string, Shape>): Shape => ({ type: "object", strict: true, fields });
const exactBody = (fields: Record<string, Shape>): Shape => ({ ...body(fields), exact: true });

// Strapi compares the confirmation first, in any order of the fields
const newPassword = {
  passwordConfirmation: { ...text(), sameAs: { field: "password", message: "Passwords do not match" } },
  password: text(lengthTest),
};

export const shapes = {
  login: body({ identifier: text(), password: text() }),
  register: body({ email: text(emailTest), username: text(), password: text(lengthTest) }),
  forgotPassword: exactBody({ email: text(emailTest) }),
  resetPassword: exactBody({ ...newPassword, code: text() }),
  changePassword: exactBody({ ...newPassword, currentPassword: text() }),
  sendConfirmation: body({ email: text(emailTest) }),
  confirmation: body({ confirmation: text() }),
} as const;

/** `validatePassword` of the project: whether a password is valid. What it throws says why it is not. */
export type PasswordRule = (password: string) => unknown;

async function checkPassword(password: unknown, rule: PasswordRule): Promise<string | undefined> {
  if (typeof password !== "string") return undefined;
  try {
    return (await rule(password)) ? undefined : "Password validation failed.";
  } catch (error) {
    return (error as Error | undefined)?.message || "An error occurred.";
  }
}

/** As `checkBody`, with the project's rule for a new password. */
export async function checkNewPassword(
  name: "register" | "resetPassword" | "changePassword",
  input: unknown,
  rule: PasswordRule | undefined,
): Promise<Readonly<Record<string, string>>> {
  const shape = shapes[name];
  if (!rule) return checkBody(shape, input) as Record<string, string>;
  const problem = await checkPassword(Object(input).password, rule);
  const fields = { ...shape.fields, password: text(lengthTest, () => problem) };
  return checkBody({ ...shape, fields }, input) as Record<string, string>;
}
