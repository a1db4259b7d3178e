/** `plugin::content-manager.field-sizes`. Sizes that code sets are only there for code. */
import { type FieldSize, fieldSizes } from "../../engine/schema/field-sizes.ts";
import { applicationError } from "../../lib/errors.ts";
import type { Members } from "../loader/plugin.ts";

export function fieldSizesService(): Members {
  const sizes: Record<string, FieldSize> = { ...fieldSizes };
  return {
    getAllFieldSizes: () => sizes,
    hasFieldSize: (type: string) => Object.hasOwn(sizes, type),
    getFieldSize(type?: string) {
      if (!type) throw applicationError("The type is required");
      if (!Object.hasOwn(sizes, type)) throw applicationError(`Could not find field size for type ${type}`);
      return sizes[type];
    },
    setFieldSize(type?: string, size?: FieldSize) {
      if (!type) throw applicationError("The type is required");
      if (!size) throw applicationError("The size is required");
      sizes[type] = size;
    },
  };
}
