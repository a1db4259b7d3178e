/** Finding and replacing in a CodeMirror editor. The browser finds only lines that are near the view: others are not in the page. */
import { closeSearchPanel, findNext, findPrevious, openSearchPanel, search } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";

const scope = "editor search-panel";

const keys = keymap.of([
  { key: "Mod-f", run: openSearchPanel, scope },
  { key: "F3", run: findNext, shift: findPrevious, scope, preventDefault: true },
  { key: "Mod-g", run: findNext, shift: findPrevious, scope, preventDefault: true },
  { key: "Escape", run: closeSearchPanel, scope },
]);

/** CodeMirror's words for its buttons, and the page's. */
const phrases = EditorState.phrases.of({
  next: "Next",
  previous: "Previous",
  "match case": "Match case",
  "by word": "Whole words",
  replace: "Replace",
  "replace all": "Replace all",
  close: "Close",
});

const control = {
  minHeight: "28px",
  margin: "0",
  padding: "2px 8px",
  border: "1px solid var(--line-field)",
  borderRadius: "var(--radius)",
  color: "var(--text)",
  fontSize: "var(--text-small)",
};

const theme = EditorView.theme({
  ".cm-panels": { background: "var(--surface)", color: "var(--text)", zIndex: "1" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": {
    display: "flex",
    flexWrap: "wrap",
    alignItems: "center",
    gap: "6px",
    padding: "6px 40px 6px 6px",
  },
  // a line for finding, and one for replacing
  ".cm-panel.cm-search br": { content: '""', flexBasis: "100%" },
  ".cm-panel.cm-search .cm-textfield": { ...control, flex: "0 1 14rem", minWidth: "8rem", background: "var(--field)" },
  ".cm-panel.cm-search .cm-button": { ...control, background: "var(--surface)" },
  ".cm-panel.cm-search .cm-button:hover": { background: "var(--hover)" },
  ".cm-panel.cm-search label": {
    display: "flex",
    alignItems: "center",
    gap: "6px",
    margin: "0 6px 0 0",
    fontSize: "var(--text-small)",
  },
  // for those who write programs
  ".cm-panel.cm-search [name=select], .cm-panel.cm-search label:has([name=re])": { display: "none" },
  ".cm-panel.cm-search [name=close]": {
    top: "6px",
    right: "6px",
    width: "28px",
    height: "28px",
    color: "var(--muted)",
    fontSize: "1rem",
  },
  ".cm-searchMatch": { background: "var(--warning-wash)" },
  ".cm-searchMatch-selected": { background: "var(--selected)", outline: "1px solid var(--accent)" },
});

export const findTools: Extension = [search({ top: true }), keys, phrases, theme];
