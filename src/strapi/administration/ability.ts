/** What an administrator may do, in the form of CASL's abilities. */
import { isRecord } from "../../lib/is-record.ts";
import type { AdministratorCaller, AdministratorPermission } from "../runtime.ts";

/** The type of a subject: its uid, or that of an entry which CASL's `subject(uid, entry)` has marked. */
const typeOfSubject = (subject: unknown): string | null | undefined =>
  isRecord(subject) ? String(subject.__caslSubjectType__) : (subject as string | null | undefined);

export const abilityOf = (permissionsOf: AdministratorCaller["permissionsOf"]) => {
  const can = (action: string, subject?: unknown, field?: string) =>
    permissionsOf(action, typeOfSubject(subject), field).length > 0;
  const rulesFor = (of: string, subject?: unknown) =>
    permissionsOf(of, typeOfSubject(subject)).map(({ action, subject: uid, properties: { fields } }) => ({
      ...{ action, subject: uid ?? "all", inverted: false },
      ...(fields ? { fields } : {}),
    }));
  return { can, cannot: (...of: Parameters<typeof can>) => !can(...of), rulesFor };
};

/** The ability that a list of permissions gives. */
export const abilityFrom = (permissions: readonly Partial<AdministratorPermission>[]) =>
  abilityOf((action, subject, field) =>
    permissions.flatMap(({ action: allowed, subject: uid = null, properties = {} }) => {
      const { fields } = properties;
      const isMeant = allowed === action && (uid === null || uid === "all" || uid === subject);
      return isMeant && (!field || !fields || fields.includes(field)) ? [{ action, subject: uid, properties }] : [];
    }),
  );
