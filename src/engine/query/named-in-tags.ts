/** Which attributes the tags that writes make stale may name. */
import { component, findType, type Model } from "../schema/model.ts";
import { CREATED } from "../storage/change-log/values.ts";
import { isHidden } from "./check-query.ts";
import type { CanRead } from "./tree.ts";

/** Those of answers to a caller. `name`: the column of a scalar attribute. */
export const namedInTags =
  (model: Model, canRead: CanRead) =>
  (uid: string, name: string): boolean => {
    const schema = findType(model, uid) ?? component(model, uid);
    return (
      name === CREATED ||
      schema.attributes.values().some((attribute) => {
        const own = attribute.kind === "scalar" ? attribute.column : attribute.name;
        return own === name && !isHidden(schema, attribute, canRead);
      })
    );
  };

/** For those who purge what any caller may be shown. */
export const ofEveryCaller = (model: Model) => ({
  mayList: (uid: string): boolean => model.types.has(uid),
  isNamed: namedInTags(model, () => true),
  status: undefined,
});
