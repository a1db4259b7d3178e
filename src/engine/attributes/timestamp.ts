/** A point in time, returned as milliseconds since 1970 in a string. */
import type { ScalarType } from "./attribute-type.ts";
import { datetime } from "./datetime.ts";

const MILLISECONDS = /^-?\d{1,16}$/;

export const timestamp: ScalarType = {
  ...datetime,
  name: "timestamp",
  // unlike input, where eight digits are a day
  restore: (value) => datetime.store(MILLISECONDS.test(String(value)) ? new Date(Number(value)) : value),
  load: (stored) => (stored === null ? null : String(Date.parse(new Date(stored as string).toISOString()))),
  graphqlName: "DateTime",
};
