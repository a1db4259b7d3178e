/** A file of a form in `ctx.request.files`, with the properties that Strapi's form parser gives it. */
import { basename } from "node:path";

/** It is on disk until the response is sent, as in Koa. */
export class FormFile {
  readonly filepath: string;
  readonly newFilename: string;
  readonly originalFilename: string;
  readonly mimetype: string;
  readonly size: number;
  /** When its content was written; null for an empty file. */
  readonly lastModifiedDate: Date | null;
  /** Files are not hashed. */
  readonly hash = null;
  readonly hashAlgorithm = false;

  constructor(file: Pick<FormFile, "filepath" | "originalFilename" | "mimetype" | "size">) {
    this.filepath = file.filepath;
    this.newFilename = basename(file.filepath);
    this.originalFilename = file.originalFilename;
    this.mimetype = file.mimetype;
    this.size = file.size;
    this.lastModifiedDate = file.size === 0 ? null : new Date();
  }

  toJSON(): object {
    const { size, filepath, newFilename, mimetype, lastModifiedDate: mtime, originalFilename } = this;
    return { size, filepath, newFilename, mimetype, mtime, originalFilename };
  }

  toString(): string {
    return `PersistentFile: ${this.newFilename}, Original: ${this.originalFilename}, Path: ${this.filepath}`;
  }
}
