/** Attributes that the content manager shows nowhere: `config.attributes.<name>.hidden` in schema files. */
import { CREATOR } from "../../engine/schema/builtin/creator.ts";
import { USER } from "../../engine/schema/builtin/index.ts";

/** Hidden attributes of types of plugins and of the administration. */
const BUILTIN: Readonly<Record<string, readonly string[]>> = {
  [USER]: ["provider", "resetPasswordToken", "confirmationToken"],
  [CREATOR]: ["resetPasswordToken", "registrationToken"],
};

interface Declared {
  readonly config?: { readonly attributes?: Readonly<Record<string, { readonly hidden?: unknown } | undefined>> };
}

export function hiddenAttributes({
  uid,
  definition,
}: {
  readonly uid: string;
  readonly definition: object;
}): ReadonlySet<string> {
  const { config } = definition as Declared;
  const declared = Object.entries(config?.attributes ?? {}).flatMap(([name, own]) =>
    own?.hidden === true ? [name] : [],
  );
  return new Set([...(BUILTIN[uid] ?? []), ...declared]);
}
