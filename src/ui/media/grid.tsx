/** Folders and files as cards. Arrow keys go from card to card, Space selects, with Shift a range, Enter opens. */
import { useRef } from "preact/hooks";
import { commandKey } from "../command-key.ts";
import { countText } from "../count-text.ts";
import type { Selection } from "../list/selection.ts";
import { hrefTo, route } from "../router.ts";
import { Icon } from "../widgets/icon.tsx";
import type { Folder } from "./folders.ts";
import { isImage, type MediaFile } from "./media-files.ts";
import { Thumbnail } from "./thumbnail.tsx";

interface GridProps {
  readonly folders: readonly Folder[];
  readonly files: readonly MediaFile[];
  readonly selection: Selection;
}

/** Ids of a selection, which files and folders share. */
const fileKey = ({ id }: Pick<MediaFile, "id">): string => `file ${id}`;
const folderKey = ({ id }: Pick<Folder, "id">): string => `folder ${id}`;

/** The ids of one kind that are selected. */
export const selected = (selection: Selection, kind: "file" | "folder"): number[] =>
  [...selection.ids].filter((key) => key.startsWith(`${kind} `)).map((key) => Number(key.slice(kind.length + 1)));

const currentUrlWith = (changes: Readonly<Record<string, string>>): string =>
  hrefTo("media", [], { ...Object.fromEntries(route.value.search), ...changes });

const inFolder = (id: number): string => hrefTo("media", [], { folder: String(id) });

const findCentre = (element: Element): { readonly x: number; readonly y: number } => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};

/** The card above or below, nearest to the same column. */
function verticalNeighbour(
  cards: readonly HTMLElement[],
  from: HTMLElement,
  direction: 1 | -1,
): HTMLElement | undefined {
  const at = findCentre(from);
  const others = cards
    .map((card) => ({ card, ...findCentre(card) }))
    .filter(({ y }) => (y - at.y) * direction > 8)
    .sort((a, b) => (a.y - b.y) * direction || Math.abs(a.x - at.x) - Math.abs(b.x - at.x));
  const [nearest] = others;
  if (!nearest) return undefined;
  const row = others.filter(({ y }) => Math.abs(y - nearest.y) < 8);
  return row.sort((a, b) => Math.abs(a.x - at.x) - Math.abs(b.x - at.x))[0]?.card;
}

function onArrow(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const cards = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-card]")];
  const current = cards.find((card) => card === document.activeElement);
  if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
  const index = cards.indexOf(current);
  const moves: Readonly<Record<string, () => HTMLElement | undefined>> = {
    ArrowLeft: () => cards[index - 1],
    ArrowRight: () => cards[index + 1],
    ArrowUp: () => verticalNeighbour(cards, current, -1),
    ArrowDown: () => verticalNeighbour(cards, current, 1),
    Home: () => cards[0],
    End: () => cards.at(-1),
  };
  const to = moves[event.key];
  if (!to) return;
  event.preventDefault();
  to()?.focus();
}

/** Selects a card; with Shift, all from the one before to it. */
type Select = (id: string, isRange: boolean) => void;

function useSelect(ids: readonly string[], selection: Selection): Select {
  const anchor = useRef<string>(undefined);
  return (id, isRange) => {
    const range = [ids.indexOf(anchor.current ?? id), ids.indexOf(id)].sort((a, b) => a - b);
    const [from, to] = range as [number, number];
    anchor.current = id;
    if (isRange && from >= 0 && from < to) selection.add(...ids.slice(from, to + 1));
    else selection.toggle(id);
  };
}

interface CheckProps {
  readonly selection: Selection;
  readonly select: Select;
  readonly id: string;
  readonly label: string;
}

const Check = ({ selection, select, id, label }: CheckProps) => (
  <input
    type="checkbox"
    class="card-check"
    aria-label={`Select ${label}`}
    checked={selection.has(id)}
    onClick={({ shiftKey }) => select(id, shiftKey)}
  />
);

function onSpace(event: KeyboardEvent, select: Select, id: string): void {
  if (event.key !== " ") return;
  event.preventDefault();
  select(id, event.shiftKey);
}

const contents = ({ children, files }: Folder): string => {
  const parts = [
    [children?.count ?? 0, "folder"],
    [files?.count ?? 0, "file"],
  ] as const;
  const texts = parts.filter(([count]) => count > 0).map(([count, what]) => countText(count, what));
  return texts.join(", ") || "empty";
};

const describe = ({ width, height, ext, mime }: MediaFile): string =>
  [(ext ?? "").replace(".", "").toUpperCase() || mime, width && height ? `${width} × ${height}` : ""]
    .filter(Boolean)
    .join(" · ");

export function Grid({ folders, files, selection }: GridProps) {
  const ids = [...folders.map(folderKey), ...files.map(fileKey)];
  const select = useSelect(ids, selection);
  const onKey = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
    if (commandKey(event) !== "a") return onArrow(event);
    event.preventDefault();
    selection.add(...ids);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys go from link to link inside
    <div class="media-grids" onKeyDown={onKey}>
      {folders.length > 0 ? (
        <ul class="folder-grid" aria-label="Folders">
          {folders.map((folder) => (
            <li key={folder.id} class="card folder-card" aria-current={selection.has(folderKey(folder)) || undefined}>
              <Check selection={selection} select={select} id={folderKey(folder)} label={folder.name} />
              <a
                data-card
                class="card-link"
                href={inFolder(folder.id)}
                onKeyDown={(event) => onSpace(event, select, folderKey(folder))}
              >
                <Icon name="folder" />
                <bdi class="one-line card-name">{folder.name}</bdi>
                <span class="one-line hint">{contents(folder)}</span>
              </a>
            </li>
          ))}
        </ul>
      ) : null}
      {files.length > 0 ? (
        <ul class="file-grid" aria-label="Files">
          {files.map((file) => (
            <li key={file.id} class="card file-card" aria-current={selection.has(fileKey(file)) || undefined}>
              <Check selection={selection} select={select} id={fileKey(file)} label={file.name} />
              <a
                data-card
                class="card-link"
                href={currentUrlWith({ file: String(file.id) })}
                onKeyDown={(event) => onSpace(event, select, fileKey(file))}
              >
                <Thumbnail file={file} />
                <bdi class="one-line card-name">{file.name}</bdi>
                <span class="one-line hint">
                  {describe(file)}
                  {isImage(file) && !file.alternativeText ? " · no alternative text" : ""}
                </span>
              </a>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
