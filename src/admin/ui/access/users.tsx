/** Users of the Content API: search, create, block, confirm, change role or password. */
import { useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { route, setParams } from "../router.ts";
import { confirm } from "../widgets/confirm.tsx";
import { Icon } from "../widgets/icon.tsx";
import { ImmediateSelect } from "../widgets/immediate-select.tsx";
import { Menu } from "../widgets/menu.tsx";
import { SearchField } from "../widgets/search-field.tsx";
import { showDone, showProblem } from "../widgets/toasts.tsx";
import type { Access, Role } from "./access-model.ts";
import { changeConfig } from "./change-dialog.tsx";
import { PasswordDialog, UserDialog } from "./user-dialogs.tsx";

interface User {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly confirmed: boolean | null;
  readonly blocked: boolean | null;
  readonly role?: Pick<Role, "id" | "type" | "name"> | null;
}

interface UsersProps {
  readonly access: Access;
  readonly reload: () => void;
}

/** Changed properties of a user; `role` is a role's type. */
interface UserChange {
  readonly role?: string;
  readonly blocked?: boolean;
  readonly confirmed?: boolean;
}

const PAGE_SIZE = 50;

export function Users({ access, reload: reloadAccess }: UsersProps) {
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
  const [dialog, setDialog] = useState<"new" | User>();
  const users = answer.data?.slice(0, PAGE_SIZE);
  const hasMore = (answer.data?.length ?? 0) > PAGE_SIZE;
  const isInFile = ({ username }: User): boolean => access.usersInFile.includes(username);
  const roles = access.roles.map(({ type, name }) => [type, name] as const);
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
    const question = { title, text: "This cannot be undone.", action: "Delete", isDangerous: true };
    const { username } = user;
    const isSure = isInFile(user)
      ? await changeConfig(title, { kind: "removeUser", change: { username } })
      : await confirm(question);
    if (!isSure) return;
    try {
      await api.delete(`/users/${user.id}`);
      showDone(`Deleted ${username}`);
    } catch (error) {
      showProblem(error);
    }
    reload();
  };

  return (
    <section class="access-list" aria-label="Users">
      <header>
        <SearchField value={text} onChange={(q) => setParams({ q, page: undefined }, { replace: true })} />
        <button type="button" class="button button-primary" onClick={() => setDialog("new")}>
          New user
        </button>
      </header>
      {answer.problem ? (
        <p class="page-problem" role="alert">
          {answer.problem}
        </p>
      ) : null}
      {users?.length === 0 ? <p class="empty">{text ? "No users match." : "No users yet."}</p> : null}
      <ul>
        {users?.map((user) => {
          const isFixed = isInFile(user) && access.source.problem !== undefined;
          const name = user.username;
          return (
            <li key={user.id} class="access-item">
              <div>
                <strong>{name}</strong> {user.blocked ? <span class="badge badge-danger">Blocked</span> : null}
                {user.confirmed ? null : <span class="badge">Not confirmed</span>}
                {isInFile(user) ? <span class="badge">{access.source.file}</span> : null}
                <p class="muted">{user.email}</p>
              </div>
              <div class="page-actions">
                <ImmediateSelect
                  class="input input-inline"
                  label={`Role of ${name}`}
                  isDisabled={isFixed}
                  value={user.role?.type ?? ""}
                  options={user.role ? roles : [["", "No role"], ...roles]}
                  onChoose={(role) => change(user, { role }, `Changed the role of ${name}`)}
                />
                {isFixed ? null : (
                  <Menu
                    label={`Actions for ${name}`}
                    items={[
                      {
                        id: "block",
                        label: user.blocked ? "Unblock" : "Block",
                        run: () =>
                          void change(
                            user,
                            { blocked: !user.blocked },
                            `${user.blocked ? "Unblocked" : "Blocked"} ${name}`,
                          ),
                      },
                      {
                        id: "confirm",
                        label: user.confirmed ? "Mark as not confirmed" : "Confirm",
                        run: () => void change(user, { confirmed: !user.confirmed }, `Changed ${name}`),
                      },
                      { id: "password", label: "Change password", run: () => setDialog(user) },
                      { id: "delete", label: "Delete", isDangerous: true, run: () => void remove(user) },
                    ]}
                  >
                    <Icon name="more" />
                  </Menu>
                )}
              </div>
            </li>
          );
        })}
      </ul>
      {page > 1 || hasMore ? (
        <nav class="paging" aria-label="Pages">
          <button
            type="button"
            class="button"
            disabled={page === 1}
            onClick={() => setParams({ page: page === 2 ? undefined : String(page - 1) })}
          >
            Previous
          </button>
          <span>Page {page}</span>
          <button
            type="button"
            class="button"
            disabled={!hasMore}
            onClick={() => setParams({ page: String(page + 1) })}
          >
            Next
          </button>
        </nav>
      ) : null}
      {dialog === "new" ? (
        <UserDialog
          roles={access.roles}
          defaultRole={access.defaultRole}
          onSaved={() => {
            setDialog(undefined);
            reload();
          }}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {dialog !== undefined && dialog !== "new" ? (
        <PasswordDialog
          id={dialog.id}
          username={dialog.username}
          file={isInFile(dialog) ? access.source.file : undefined}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </section>
  );
}
