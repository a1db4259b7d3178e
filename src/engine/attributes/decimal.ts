/** A floating-point number, stored unrounded. */
import { fractionType } from "./number-rules.ts";

export const decimal = fractionType("decimal");
