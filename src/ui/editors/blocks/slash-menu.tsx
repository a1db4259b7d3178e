/** "/" at the beginning of a paragraph or an item opens a list of blocks, which is searched by typing. */
import { render } from "preact";
import { type Command, type EditorState, Plugin, PluginKey, TextSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { ComboboxList } from "../../widgets/combobox-list.tsx";
import { element } from "../dom.ts";
import { nodes } from "./schema.ts";

export interface SlashChoice {
  readonly name: string;
  readonly label: string;
  readonly run: Command;
}

interface SlashState {
  readonly query: string;
  readonly active: number;
  /** Until the slash is gone. */
  readonly isDismissed: boolean;
}

const key = new PluginKey<SlashState | undefined>("slash");
const MAX_QUERY = 20;

/** What stands between the slash and the cursor. */
function queryOf({ selection }: EditorState): string | undefined {
  const { $from, empty } = selection;
  const { parent, parentOffset } = $from;
  if (!empty || !(selection instanceof TextSelection) || parentOffset === 0 || parentOffset > MAX_QUERY)
    return undefined;
  if (parent.type !== nodes.paragraph && parent.type !== nodes.list_item) return undefined;
  const text = parent.textBetween(0, parentOffset, "\n", "\n");
  return /^\/[^\n/]*$/.test(text) ? text.slice(1).toLowerCase() : undefined;
}

export function slashMenu(editorId: string, choices: () => readonly SlashChoice[]): Plugin {
  const id = `${editorId}-slash`;
  const shown = (state: EditorState): readonly SlashChoice[] => {
    const current = key.getState(state);
    if (!current || current.isDismissed) return [];
    return choices().filter(({ label }) => label.toLowerCase().includes(current.query));
  };
  const change = (view: EditorView, changes: Partial<SlashState>): void =>
    view.dispatch(view.state.tr.setMeta(key, changes));
  const choose = (view: EditorView, choice: SlashChoice): void => {
    const { $from } = view.state.selection;
    view.dispatch(view.state.tr.delete($from.start(), $from.pos));
    choice.run(view.state, view.dispatch, view);
    view.focus();
  };
  return new Plugin<SlashState | undefined>({
    key,
    state: {
      init: () => undefined,
      apply: (transaction, before, _, state) => {
        const query = queryOf(state);
        if (query === undefined) return undefined;
        // a slash that was there before opens nothing
        const current = before ?? { query, active: 0, isDismissed: !transaction.docChanged };
        const changes = transaction.getMeta(key) as Partial<SlashState> | undefined;
        if (changes) return { ...current, ...changes };
        return current.query === query ? current : { ...current, query, active: 0 };
      },
    },
    props: {
      attributes: (state): Record<string, string> =>
        shown(state).length > 0
          ? { "aria-controls": `${id}-list`, "aria-activedescendant": `${id}-${key.getState(state)!.active}` }
          : {},
      handleKeyDown: (view, event) => {
        const found = shown(view.state);
        if (found.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return false;
        const { active } = key.getState(view.state)!;
        const moves: Readonly<Record<string, number>> = { ArrowDown: active + 1, ArrowUp: active - 1 };
        const to = moves[event.key];
        if (to !== undefined) change(view, { active: (to + found.length) % found.length });
        else if (event.key === "Enter" || event.key === "Tab") choose(view, found[active]!);
        else if (event.key === "Escape") change(view, { isDismissed: true });
        else return false;
        // Escape closes the list, and no dialog around the editor
        event.stopPropagation();
        return true;
      },
      handleDOMEvents: {
        blur: (view) => {
          if (key.getState(view.state)?.isDismissed === false) change(view, { isDismissed: true });
          return false;
        },
      },
    },
    view: (view) => {
      const host = element("div");
      view.dom.parentElement?.append(host);
      const anchor = {
        getBoundingClientRect: () => {
          const { left, top, bottom } = view.coordsAtPos(view.state.selection.from);
          return new DOMRect(left, top, 0, bottom - top);
        },
      };
      let isOpen = false;
      const update = (): void => {
        const found = shown(view.state);
        if (found.length === 0 && !isOpen) return;
        isOpen = found.length > 0;
        render(
          isOpen ? (
            <ComboboxList
              id={id}
              anchor={anchor}
              options={found.map(({ name, label }) => [name, label])}
              active={key.getState(view.state)!.active}
              value={undefined}
              onActivate={([name]) => change(view, { active: found.findIndex((choice) => choice.name === name) })}
              onChoose={([name]) => choose(view, found.find((choice) => choice.name === name)!)}
            />
          ) : null,
          host,
        );
      };
      return {
        update,
        destroy: () => {
          render(null, host);
          host.remove();
        },
      };
    },
  });
}
