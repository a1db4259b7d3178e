/** The one administrator: whoever holds an admin token or a session of the admin page. */
export const administrator = {
  id: 1,
  firstname: "Admin",
  lastname: "Admin",
  username: null,
  email: "admin@example.com",
  isActive: true,
} as const;

/** As `createdBy` and `updatedBy` show them. */
export const creatorOf = (): Record<string, unknown> => ({ ...administrator });

/** As the reference shows them of versions, where only those are looked up. */
export const shortCreatorOf = (): Record<string, unknown> => {
  const { id, firstname, lastname, email } = administrator;
  return { id, firstname, lastname, email };
};
