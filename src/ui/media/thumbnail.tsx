/** The picture of a file, or in its place the kind of file that it is. */
import { Icon } from "../widgets/icon.tsx";
import { isImage, type MediaFile, thumbnailOf } from "./media-files.ts";

export const Thumbnail = ({ file }: { readonly file: MediaFile }) =>
  isImage(file) ? (
    <img class="thumbnail" src={thumbnailOf(file)} alt="" loading="lazy" draggable={false} />
  ) : (
    <span class="thumbnail">{(file.ext ?? "").replace(".", "") || <Icon name="documents" />}</span>
  );
