/** Strapi's field widths in a form of twelve columns. */
export interface FieldSize {
  readonly default: number;
  readonly isResizable: boolean;
}

const sized = (types: string, size: number): [string, FieldSize][] =>
  types.split(" ").map((type) => [type, { default: size, isResizable: size < 12 }]);

export const fieldSizes: Readonly<Record<string, FieldSize>> = Object.fromEntries([
  ...sized("dynamiczone component json richtext blocks", 12),
  ...sized("checkbox boolean date time biginteger decimal float integer number", 4),
  ...sized("datetime email enumeration media password relation string text timestamp uid", 6),
]);
