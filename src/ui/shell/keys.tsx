/** The keys of the page. */
import { Dialog } from "../widgets/dialog.tsx";

const groups = [
  [
    "Everywhere",
    [
      ["Ctrl+K", "Go to a type, a document or a setting"],
      ["?", "This list"],
      ["Escape", "Close what is open"],
    ],
  ],
  [
    "Lists",
    [
      ["/", "Search"],
      ["↑ ↓ Page Up, Page Down, Home, End", "Move"],
      ["Enter", "Open"],
      ["Space, with Shift", "Select, a range"],
      ["Ctrl+A", "Select all"],
      ["Delete", "Delete the selected documents"],
      ["Alt+← Alt+→, with Shift", "In the head of a column: its width, its place"],
    ],
  ],
  [
    "Documents",
    [
      ["Ctrl+S", "Save"],
      ["Ctrl+Shift+Enter", "Publish"],
      ["Ctrl+Z, Ctrl+Shift+Z", "Undo and redo: in a text what was written, elsewhere what was added, removed or moved"],
      ["↑ ↓ on a handle", "Move an entry, a link or a file"],
    ],
  ],
  [
    "Text",
    [
      ["Ctrl+B, Ctrl+I, Ctrl+U", "Bold, italic, underlined"],
      ["Ctrl+K", "Link"],
      ["Ctrl+F", "In Markdown and JSON: find and replace"],
      ["Ctrl+Shift+V", "Paste as text"],
      ["/", "In blocks, at the beginning: a list of what it can become"],
      ["Alt+↑ Alt+↓", "In blocks: the block or the item before its neighbour"],
      ["Ctrl+Alt+1 to 6, 0", "In blocks: headings, a paragraph"],
      ["Tab, Shift+Tab", "In a list: one level deeper or up"],
      ["Escape, then Tab", "Leave the editor"],
    ],
  ],
] as const;

export const Keys = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" shape="wide" isText onClose={onClose}>
    <div class="keys">
      {groups.map(([title, keys]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {keys.map(([key, text]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
);
