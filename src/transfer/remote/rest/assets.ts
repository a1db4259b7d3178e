/** Lists the files of a media record: its own, and those of its formats. */
import { isRecord } from "../../../lib/is-record.ts";
import type { Json } from "../../archive/shapes.ts";

export interface RemoteAsset {
  readonly name: string;
  readonly url: string;
  readonly metadata: Json;
}

export function assetsOf(record: Json): RemoteAsset[] {
  const formats = isRecord(record.formats) ? Object.entries(record.formats) : [];
  const all: Json[] = [
    record,
    ...formats.flatMap(([type, format]) =>
      isRecord(format) ? [{ ...format, type, id: record.id, mainHash: record.hash }] : [],
    ),
  ];
  return all.flatMap((metadata) =>
    typeof metadata.url === "string" && typeof metadata.hash === "string"
      ? [{ name: `${metadata.hash}${metadata.ext ?? ""}`, url: metadata.url, metadata }]
      : [],
  );
}
