/** Lists roles with their permissions; creates, renames and deletes roles. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { countText } from "../count-text.ts";
import { developerDetails } from "../developer-details.ts";
import { hrefTo, route, setParams } from "../router.ts";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { attempt, showDone } from "../widgets/toasts.tsx";
import { type Access, actionTable, permissionMap, type Role } from "./access-model.ts";
import { changeConfig } from "./change-dialog.tsx";
import { PermissionTable } from "./permission-table.tsx";
import { RoleDialog, type RoleTexts } from "./role-dialog.tsx";
import { forgetUnsaved, hasUnsaved, keepUnsaved, withUnsaved } from "./unsaved-permissions.ts";

/** Roles that always exist. */
const BUILT_IN_ROLES = ["public", "authenticated"];

interface RolesProps {
  readonly access: Access;
  readonly reload: () => void;
}

const isSame = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  left.size === right.size && [...left].every((item) => right.has(item));

interface RolePermissionsProps extends RolesProps {
  readonly role: Role;
  readonly isReadOnly: boolean;
}

function RolePermissions({ access, role, isReadOnly, reload }: RolePermissionsProps) {
  const saved = useMemo(() => new Set(role.actions), [role]);
  const granted = withUnsaved(role.type, saved);
  const setGranted = (next: ReadonlySet<string>): void => keepUnsaved(role.type, saved, next);
  const [isBusy, setIsBusy] = useState(false);
  const table = useMemo(() => actionTable(access, role.actions), [access, role]);
  const fixed = useMemo(() => new Set(role.actionsFromCode), [role]);
  const isChanged = !isSame(saved, granted);
  // saved here or by others; it runs after the page is drawn, when somebody may have changed more
  useEffect(() => setGranted(withUnsaved(role.type, saved)), [saved]);
  const save = async (): Promise<void> => {
    const [seen, actions] = [saved, granted].map((set) => [...set.difference(fixed)]);
    const change = { kind: "role", change: { type: role.type, actions, seen } } as const;
    if (isBusy) return;
    setIsBusy(true);
    const isDone = await changeConfig(`Permissions of ${role.name}`, change);
    setIsBusy(false);
    if (!isDone) return;
    await attempt(async () => {
      const { data } = await api.get<{ data: Access }>("/access");
      const now = data.roles.find(({ type }) => type === role.type)?.actions ?? [];
      const back = now.filter((action) => !granted.has(action));
      if (back.length > 0) {
        setGranted(saved);
        throw new Error(`Saved, but the project's own code grants again when it starts: ${back.join(", ")}`);
      }
      showDone("Saved");
    });
    reload();
  };
  return (
    <>
      {fixed.size > 0 ? (
        <p class="notice">
          The project's own code grants these when it starts, and they are changed there: {[...fixed].join(", ")}
        </p>
      ) : null}
      <PermissionTable
        table={table}
        granted={granted}
        isReadOnly={isReadOnly}
        fixed={fixed}
        focused={route.value.search.get("action") ?? undefined}
        onChange={setGranted}
      />
      {isReadOnly ? null : (
        <div class="form-actions">
          <Button text="Discard" disabled={!isChanged} onClick={() => setGranted(saved)} />
          <Button kind="primary" text="Save" disabled={!isChanged} aria-disabled={isBusy} onClick={save} />
        </div>
      )}
    </>
  );
}

export function Roles({ access, reload }: RolesProps) {
  const roleType = route.value.search.get("role") ?? "public";
  const role = access.roles.find(({ type }) => type === roleType);
  const [dialog, setDialog] = useState<"new" | "rename">();
  const isReadOnly = access.source.problem !== undefined;

  const create = async ({ type, name, description }: RoleTexts): Promise<void> => {
    if (!(await changeConfig(`New role ${name}`, { kind: "role", change: { type, actions: [] } }))) return;
    await attempt(async () => {
      const { data } = await api.get<{ data: Access }>("/access");
      const created = data.roles.find((item) => item.type === type);
      if (created) await api.put(`/users-permissions/roles/${created.id}`, { name, description });
      setDialog(undefined);
      setParams({ role: type });
    });
    reload();
  };
  const rename = async ({ name, description }: RoleTexts): Promise<void> => {
    if (!role) return;
    await attempt(async () => {
      const permissions = permissionMap(role.actions);
      await api.put(`/users-permissions/roles/${role.id}`, { name, description, permissions });
      setDialog(undefined);
      showDone("Saved");
    });
    reload();
  };
  const remove = async (): Promise<void> => {
    if (!role) return;
    const title = `Delete the role ${role.name}?`;
    const text =
      role.users > 0 ? `${countText(role.users, "user")} will have the role Public.` : "No users have this role.";
    if (role.isInFile) {
      if (!(await changeConfig(title, { kind: "removeRole", change: { type: role.type } }, text))) return;
    } else if (!(await confirm({ title, text, action: "Delete", isDangerous: true }))) return;
    await attempt(async () => {
      await api.delete(`/users-permissions/roles/${role.id}`);
      forgetUnsaved(role.type);
      setParams({ role: undefined });
      showDone(`Deleted ${role.name}`);
    });
    reload();
  };

  return (
    <div class="roles">
      <nav aria-label="Roles" class="stack role-list">
        <ul>
          {access.roles.map(({ type, name, users }) => (
            <li key={type}>
              <a
                class="nav-link"
                href={hrefTo("access", ["roles"], { role: type })}
                aria-current={type === role?.type ? "page" : undefined}
              >
                <span class="one-line">{name}</span>
                {hasUnsaved(type) ? <span class="badge">changed</span> : null}
                {users > 0 ? <span class="badge">{users}</span> : null}
              </a>
            </li>
          ))}
        </ul>
        {isReadOnly ? null : <Button text="New role" onClick={() => setDialog("new")} />}
      </nav>
      {role ? (
        <section class="stack role" aria-label={role.name}>
          <header class="role-head">
            <div>
              <h2>{role.name}</h2>
              <p class="muted">
                {role.description || "No description"}
                {developerDetails.value ? (
                  <>
                    {" "}
                    · <code>{role.type}</code>
                  </>
                ) : null}
              </p>
            </div>
            {isReadOnly || BUILT_IN_ROLES.includes(role.type) ? null : (
              <div class="page-actions">
                <Button text="Rename" onClick={() => setDialog("rename")} />
                <Button kind="remove" text="Delete" onClick={remove} />
              </div>
            )}
          </header>
          <RolePermissions key={role.type} access={access} role={role} isReadOnly={isReadOnly} reload={reload} />
        </section>
      ) : (
        <p class="muted">There is no role {roleType}. It may have been deleted: choose another one.</p>
      )}
      {dialog === undefined ? null : (
        <RoleDialog
          role={dialog === "rename" ? role : undefined}
          taken={access.roles.map(({ type }) => type)}
          onSave={dialog === "rename" ? rename : create}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  );
}
