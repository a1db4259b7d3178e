/** The rule for e-mail addresses in requests about users. Empty strings are left to other rules. */

import type { Test } from "../../lib/shape.ts";
import { isEmail } from "../attributes/email.ts";

export const emailTest: Test = (value: string, path) =>
  value === "" || isEmail(value) ? undefined : `${path} must be a valid email`;
