/** Who wrote something, as the server answers it. */
export interface Person {
  readonly firstname?: string | null;
  readonly lastname?: string | null;
}

/** Empty where nobody is known. The first administrator has one name, twice. */
export const personName = (person: Person | null | undefined): string =>
  [...new Set([person?.firstname, person?.lastname])].filter(Boolean).join(" ");
