/** The users of a page of the list, and changes of them. Users in the project's file are changed there. */
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { route } from "../router.ts";
import { confirm } from "../widgets/confirm.tsx";
import { attempt, showDone, showProblem } from "../widgets/toasts.tsx";
import type { Access, Role } from "./access-model.ts";
import { changeConfig } from "./change-dialog.tsx";

export interface User {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly confirmed: boolean | null;
  readonly blocked: boolean | null;
  readonly role?: Pick<Role, "id" | "type" | "name"> | null;
}

/** Changed properties of a user; `role` is a role's type. */
export interface UserChange {
  readonly role?: string;
  readonly blocked?: boolean;
  readonly confirmed?: boolean;
}

const PAGE_SIZE = 50;

export interface Users {
  /** Undefined until they are loaded. */
  readonly users: readonly User[] | undefined;
  readonly problem: string | undefined;
  /** What is searched for. */
  readonly text: string;
  readonly page: number;
  readonly hasMore: boolean;
  readonly isInFile: (user: User) => boolean;
  /** Reports success with `done`. */
  readonly change: (user: User, changes: UserChange, done: string) => Promise<void>;
  readonly remove: (user: User) => Promise<void>;
  readonly reload: () => void;
}

/** The search and the page are those of the URL. */
export function useUsers(access: Access, reloadAccess: () => void): Users {
  const { search } = route.value;
  const text = search.get("q") ?? "";
  const page = Math.max(1, Math.floor(Number(search.get("page") ?? 1)) || 1);
  const query = { _q: text || undefined, populate: "role", sort: "username:asc" };
  // one more than is shown tells whether there is a next page
  const answer = useAnswer<readonly User[]>("/users", {
    ...query,
    start: (page - 1) * PAGE_SIZE,
    limit: PAGE_SIZE + 1,
  });
  const isInFile = ({ username }: User): boolean => access.usersInFile.includes(username);
  const reload = (): void => {
    answer.reload();
    reloadAccess();
  };

  const change = async (user: User, changes: UserChange, done: string): Promise<void> => {
    try {
      if (isInFile(user)) {
        const title = `The user ${user.username}`;
        if (!(await changeConfig(title, { kind: "user", change: { username: user.username, ...changes } }))) return;
      } else {
        const { role, ...values } = changes;
        const id = access.roles.find(({ type }) => type === role)?.id;
        await api.put(`/users/${user.id}`, { ...values, ...(id === undefined ? {} : { role: id }) });
      }
      showDone(done);
    } catch (error) {
      showProblem(error);
    } finally {
      reload();
    }
  };
  const remove = async (user: User): Promise<void> => {
    const title = `Delete ${user.username}?`;
    const text = "This cannot be undone.";
    const { username } = user;
    const isSure = isInFile(user)
      ? await changeConfig(title, { kind: "removeUser", change: { username } }, text)
      : await confirm({ title, text, action: "Delete", isDangerous: true });
    if (!isSure) return;
    await attempt(async () => {
      await api.delete(`/users/${user.id}`);
      showDone(`Deleted ${username}`);
    });
    reload();
  };

  return {
    users: answer.data?.slice(0, PAGE_SIZE),
    problem: answer.problem,
    text,
    page,
    hasMore: (answer.data?.length ?? 0) > PAGE_SIZE,
    isInFile,
    change,
    remove,
    reload,
  };
}
