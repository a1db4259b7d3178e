/** A matrix of content-types and actions, with the actions of plugins below it. */
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../widgets/icon.tsx";
import { type ActionRow, type ActionTable, contentActions } from "./access-model.ts";

interface PermissionTableProps {
  readonly table: ActionTable;
  readonly granted: ReadonlySet<string>;
  readonly isReadOnly: boolean;
  /** Actions that cannot be changed here. */
  readonly fixed?: ReadonlySet<string>;
  readonly onChange: (granted: ReadonlySet<string>) => void;
  /** The action that a link leads to. */
  readonly focused?: string | undefined;
}

const columns = { find: "Find", findOne: "Find one", create: "Create", update: "Update", delete: "Delete" } as const;

const withActions = (granted: ReadonlySet<string>, actions: readonly string[], isOn: boolean): ReadonlySet<string> => {
  const changed = new Set(granted);
  for (const action of actions) {
    if (isOn) changed.add(action);
    else changed.delete(action);
  }
  return changed;
};

interface SwitchProps extends Omit<PermissionTableProps, "table"> {
  readonly actions: readonly string[];
  readonly label: string;
}

/** A checkbox for one action or several; indeterminate while only some are granted. */
function Switch({ actions, label, granted, isReadOnly, fixed, onChange, focused }: SwitchProps) {
  const changeable = actions.filter((action) => !fixed?.has(action));
  const count = actions.filter((action) => granted.has(action)).length;
  const isOn = count === actions.length;
  const input = useRef<HTMLInputElement>(null);
  const isFocused = focused !== undefined && actions.length === 1 && actions[0] === focused;
  useEffect(() => {
    if (input.current) input.current.indeterminate = count > 0 && !isOn;
  }, [count, isOn]);
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, [isFocused]);
  return (
    <input
      ref={input}
      type="checkbox"
      aria-label={label}
      checked={isOn}
      disabled={isReadOnly || changeable.length === 0}
      onChange={() => onChange(withActions(granted, changeable, !isOn))}
    />
  );
}

const listValues = (rows: readonly ActionRow[], action: string): string[] =>
  rows.flatMap(({ actions }) => actions.get(action) ?? []);

export function PermissionTable({ table: { types, groups }, ...props }: PermissionTableProps) {
  return (
    <div class="permissions">
      {types.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <section class="permission-scroller" aria-label="Content-types" tabIndex={0}>
          <table class="permission-table">
            <thead>
              <tr>
                <th scope="col">Content-type</th>
                {contentActions.map((action) => (
                  <th key={action} scope="col">
                    <span>{columns[action]}</span>
                    <Switch actions={listValues(types, action)} label={`${columns[action]}: every type`} {...props} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {types.map(({ label, actions }) => (
                <tr key={[...actions.values()][0]}>
                  <th scope="row">
                    <div class="permission-name">
                      <span>{label}</span>
                      <Switch actions={[...actions.values()]} label={`${label}: every action`} {...props} />
                    </div>
                  </th>
                  {contentActions.map((action) => {
                    const name = actions.get(action);
                    return (
                      <td key={action}>
                        {name === undefined ? null : (
                          <Switch actions={[name]} label={`${label}: ${columns[action]}`} {...props} />
                        )}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
      {groups.map(({ label: group, rows }) => (
        <details
          key={group}
          class="permission-group"
          open={rows.some(({ actions }) => [...actions.values()].includes(props.focused ?? ""))}
        >
          <summary>
            <Icon name="down" />
            {group}
            <span class="muted">
              {rows.flatMap(({ actions }) => [...actions.values()]).filter((name) => props.granted.has(name)).length}{" "}
              allowed
            </span>
          </summary>
          {rows.map(({ label, actions }) => (
            <fieldset key={label} class="permission-row">
              <legend>{label}</legend>
              {[...actions].map(([action, name]) => (
                // biome-ignore lint/a11y/noLabelWithoutControl: the switch is inside
                <label key={name}>
                  <Switch actions={[name]} label={`${group} ${label}: ${action}`} {...props} />
                  <span aria-hidden="true">{action}</span>
                </label>
              ))}
            </fieldset>
          ))}
        </details>
      ))}
    </div>
  );
}
