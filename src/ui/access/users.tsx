/** Users of the Content API: search, create, block, confirm, change role or password. */
import { useState } from "preact/hooks";
import { setParams } from "../router.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Empty } from "../widgets/empty.tsx";
import { Icon } from "../widgets/icon.tsx";
import { Menu } from "../widgets/menu.tsx";
import { SearchField } from "../widgets/search-field.tsx";
import { Select } from "../widgets/select.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import type { Access } from "./access-model.ts";
import { type User, type Users as UserList, useUsers } from "./use-users.ts";
import { PasswordDialog, UserDialog } from "./user-dialogs.tsx";

interface UserItemProps extends Pick<UserList, "isInFile" | "change" | "remove"> {
  readonly user: User;
  readonly access: Access;
  readonly onPassword: (user: User) => void;
}

function UserItem({ user, access, isInFile, change, remove, onPassword }: UserItemProps) {
  const isFixed = isInFile(user) && access.source.problem !== undefined;
  const { username: name, blocked, confirmed } = user;
  const roles = access.roles.map(({ type, name: role }) => [type, role] as const);
  return (
    <li class="row item">
      <div>
        <strong>{name}</strong> {blocked ? <span class="badge badge-danger">Blocked</span> : null}
        {confirmed ? null : <span class="badge">Not confirmed</span>}
        {isInFile(user) ? <span class="badge">{access.source.file}</span> : null}
        <p class="muted">{user.email}</p>
      </div>
      <div class="page-actions">
        <Select
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
                label: blocked ? "Unblock" : "Block",
                run: () => void change(user, { blocked: !blocked }, `${blocked ? "Unblocked" : "Blocked"} ${name}`),
              },
              {
                id: "confirm",
                label: confirmed ? "Mark as not confirmed" : "Confirm",
                run: () => void change(user, { confirmed: !confirmed }, `Changed ${name}`),
              },
              { id: "password", label: "Change password", run: () => onPassword(user) },
              { id: "delete", label: "Delete", isDangerous: true, run: () => void remove(user) },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )}
      </div>
    </li>
  );
}

function Paging({ page, hasMore }: Pick<UserList, "page" | "hasMore">) {
  if (page === 1 && !hasMore) return null;
  const to = (number: number): void => setParams({ page: number === 1 ? undefined : String(number) });
  return (
    <nav class="paging" aria-label="Pages">
      <Button text="Previous" disabled={page === 1} onClick={() => to(page - 1)} />
      <span>Page {page}</span>
      <Button text="Next" disabled={!hasMore} onClick={() => to(page + 1)} />
    </nav>
  );
}

interface UsersProps {
  readonly access: Access;
  readonly reload: () => void;
}

export function Users({ access, reload: reloadAccess }: UsersProps) {
  const list = useUsers(access, reloadAccess);
  const { users, problem, text, page, reload, isInFile } = list;
  const [dialog, setDialog] = useState<"new" | User>();
  const close = (): void => setDialog(undefined);
  const hasNone = users?.length === 0 && text === "" && page === 1;
  const create = <Button kind="primary" text="New user" onClick={() => setDialog("new")} />;
  return (
    <section class="stack item-list" aria-label="Users">
      <header class="row">
        <SearchField value={text} onChange={(q) => setParams({ q, page: undefined }, { replace: true })} />
        {hasNone ? null : create}
      </header>
      <Alert class="page-problem" text={problem} retry={reload} />
      {users || problem ? null : <SkeletonLines />}
      {users?.length === 0 && !hasNone ? (
        <Empty icon="search" text={page > 1 ? "No more users: the list ends before this page." : "No users match."} />
      ) : null}
      {hasNone ? (
        <Empty icon="user" text="No users yet: people who sign in to the site.">
          {create}
        </Empty>
      ) : null}
      <ul>
        {users?.map((user) => (
          <UserItem key={user.id} user={user} access={access} onPassword={setDialog} {...list} />
        ))}
      </ul>
      <Paging {...list} />
      {dialog === "new" ? (
        <UserDialog
          roles={access.roles}
          defaultRole={access.defaultRole}
          onSaved={() => {
            close();
            reload();
          }}
          onClose={close}
        />
      ) : null}
      {dialog !== undefined && dialog !== "new" ? (
        <PasswordDialog
          id={dialog.id}
          username={dialog.username}
          file={isInFile(dialog) ? access.source.file : undefined}
          onClose={close}
        />
      ) : null}
    </section>
  );
}
