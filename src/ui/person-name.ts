/** Who wrote something, as the server answers it. */
export interface Person {
  readonly firstname?: string | null;
  readonly lastname?: string | null;
}

/** Empty where nobody is known. */
export const personName = (person: Person | null | undefined): string =>
  [person?.firstname, person?.lastname].filter(Boolean).join(" ");
