/** A sign for each attribute type: 16 × 16 strokes, as the page's icons. */
import { Strokes } from "../../widgets/icon.tsx";

const paths: Readonly<Record<string, string>> = {
  string: "M3 4V3h10v1M8 3v10M6.3 13h3.4",
  text: "M2.5 4h11M2.5 7h11M2.5 10h11M2.5 13h6",
  blocks: "M2.5 2.5h11v3.5h-11zM2.5 8.5h5v5h-5zM10 8.5h3.5M10 11h3.5M10 13.5h3.5",
  richtext: "M1.5 4h13v8h-13zM4 10V6l1.8 2L7.6 6v4M11 6v3.8M9.6 8.6 11 10l1.4-1.4",
  uid: "M6.5 9.5 9.5 6.5M7 4.5l1-1a3 3 0 0 1 4.3 4.3l-1.2 1M9 11.5l-1 1a3 3 0 0 1-4.3-4.3l1.2-1",
  integer: "M4.2 5.2 6 4v8M9 6a2 2 0 1 1 3.6 1.2L9 12h4",
  biginteger: "M2.5 6.2 4 5v7M6.5 6.8a1.6 1.6 0 1 1 2.9 1L6.5 12h3M12 5v4M10 7h4",
  decimal: "M3.2 5.2 5 4v8M8 12v.01M10.5 4h2a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z",
  float: "M2.5 8c2-6 3.5-6 5.5 0s3.5 6 5.5 0",
  boolean: "M5 4.5h6a3.5 3.5 0 0 1 0 7H5a3.5 3.5 0 0 1 0-7zM11 7v2",
  date: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5V5M10.5 2.5V5",
  time: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.2 1.6",
  datetime:
    "M2.5 4h11v4M2.5 4v9.5H7M2.5 7h11M5.5 2.5V5M10.5 2.5V5M11.5 9a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM11.5 10.6v1.2l.8.6",
  timestamp: "M8 2.5a6 6 0 1 1-5.6 3.9M2.2 3.2v3.3h3.3M8 5.2V8.4l2.2 1.4",
  enumeration: "M3 4v.01M3 8v.01M3 12v.01M6 4h7.5M6 8h7.5M6 12h7.5",
  email: "M2 3.5h12v9H2zM2 4.5l6 4.5 6-4.5",
  password: "M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2M8 9.6v1.4",
  json: "M6 2.5C4 2.5 5.5 7 3 8c2.5 1 1 5.5 3 5.5M10 2.5c2 0 .5 4.5 3 5.5-2.5 1-1 5.5-3 5.5",
  media: "M2 3h12v10H2zM2 11l3.5-3.5L8 10l2.5-2.5L14 11M10.5 5.5v.01",
  relation: "M4.5 5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM11.5 14.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM4.5 5.5v3a2 2 0 0 0 2 2H8",
  component: "M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6",
  dynamiczone: "M2.5 2.5h4.5v4.5H2.5zM9.5 9h4v4.5h-4zM2.5 10h4v3.5h-4zM11.5 2.5v4.5M9.3 4.8h4.4",
  customField: "M8 2.2l1.6 4.2L14 8l-4.4 1.6L8 13.8 6.4 9.6 2 8l4.4-1.6z",
};

export const TypeIcon = ({ type }: { readonly type: string }) => <Strokes path={paths[type] ?? paths.customField!} />;
