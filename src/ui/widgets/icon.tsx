/** The page's icons: 16 × 16 strokes in the colour of the text. */

const paths = {
  add: "M8 3v10M3 8h10",
  book: "M3 12.8V3.5A1.5 1.5 0 0 1 4.5 2H13v9.5H4.3a1.2 1.2 0 0 0 0 2.5H13v-2.5",
  box: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5 8 8l5.5-3M8 8v6",
  calendar: "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3",
  back: "M10 3 5 8l5 5",
  changes: "M4.5 2.5v11M11.5 6.5v.5a4 4 0 0 1-4 4h-3M11.5 2.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
  chat: "M2.5 3h11v8H7.5L4.5 13.5V11h-2z",
  check: "m3 8.5 3.2 3.2L13 4.5",
  close: "m4 4 8 8M12 4l-8 8",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  documents: "M4 2h5l3 3v9H4zM9 2v3h3",
  down: "m3.5 6 4.5 4.5L12.5 6",
  drag: "M6 3.5v.01M10 3.5v.01M6 8v.01M10 8v.01M6 12.5v.01M10 12.5v.01",
  edit: "m3 13 .6-2.8 7.3-7.3 2.2 2.2-7.3 7.3z",
  eye: "M1.5 8s2.4-4.5 6.5-4.5S14.5 8 14.5 8 12.1 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6",
  external: "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
  filter: "M2 3.5h12L9.5 8.7v4.3l-3-1.6V8.7z",
  folder: "M2 4.5v8.5h12V5.5H8L6.5 3.5H2z",
  globe: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12",
  history: "M3 8a5 5 0 1 0 1.6-3.7L3 5.8M3 3v2.8h2.8M8 5.3V8l2 1.3",
  key: "M9.8 6.2a3.3 3.3 0 1 1-1.2-1.2L13.5 2M11.5 3.5l1.4 1.6M5.7 8.2v.01",
  link: "M6.5 9.5 9.5 6.5M7 4.5l1-1a3 3 0 0 1 4.3 4.3l-1.2 1M9 11.5l-1 1a3 3 0 0 1-4.3-4.3l1.2-1",
  mail: "M2 3.5h12v9H2zM2 4.5l6 4.5 6-4.5",
  media: "M2 3h12v10H2zM2 11l3.5-3.5L8 10l2.5-2.5L14 11M10.5 5.5v.01",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  more: "M3 8h.9M7.5 8h.9M12 8h.9",
  panel: "M2.5 3h11v10h-11zM9.5 3v10",
  place: "M8 14s4.5-4.2 4.5-7.5a4.5 4.5 0 0 0-9 0C3.5 9.8 8 14 8 14zM8 5.2a1.3 1.3 0 1 0 0 2.6 1.3 1.3 0 0 0 0-2.6",
  refresh: "M13 3v3.5H9.5M12.8 6.3A5.2 5.2 0 1 0 13 9.5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14",
  settings: "M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3",
  single: "M3 2.5h10v11H3zM5.5 6h5M5.5 8.5h5",
  home: "M2.5 7.5 8 3l5.5 4.5M4 6.5v7h8v-7M6.7 13.5v-4h2.6v4",
  star: "m8 2.2 1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4-2.9-2.8 4-.6z",
  tag: "M2.5 2.5h5L14 9l-5 5-6.5-6.5zM5.2 5.2v.01",
  trash: "M2.5 4h11M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4M6.6 6.5v4.5M9.4 6.5v4.5",
  types: "M2.5 2.5h4.5v4.5H2.5zM9 9h4.5v4.5H9zM2.5 9H7v4.5H2.5zM11.2 2.5v4.5M9 4.8h4.5",
  up: "m3.5 10 4.5-4.5 4.5 4.5",
  user: "M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M2.8 13.5c.4-2.8 2.5-4.2 5.2-4.2s4.8 1.4 5.2 4.2",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.8v.01",
} as const;

export type IconName = keyof typeof paths;

export const Strokes = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={path} />
  </svg>
);

export const Icon = ({ name }: { readonly name: IconName }) => <Strokes path={paths[name]} />;
