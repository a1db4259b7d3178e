/** The dependencies of every document operation, and its source of ids. */
import type { Clock } from "../../lib/clock.ts";
import type { Model } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";
import type { GetDocuments } from "./documents.ts";
import type { RowStores } from "./row-store.ts";

export type FileChange = "create" | "update" | "delete";

type Row = Readonly<Record<string, unknown>>;

/** Told about committed writes. */
export interface WriteReports {
  /** Whether anybody listens. If not, nothing is reported. */
  readonly isUsed: boolean;
  readonly report: (uid: string, action: string, params: Row, result: unknown) => void;
  readonly reportFiles: (change: FileChange, files: readonly Row[]) => void;
  /** Resolves when all that was reported has reached those who listen. */
  readonly settled: () => Promise<void>;
}

export interface DocumentsContext {
  readonly storage: Storage;
  readonly model: Model;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** A function, since locales are content and may change. */
  readonly defaultLocale: () => string;
  /** Required relations and media are enforced when a version is published. */
  readonly strictRelations: boolean;
  /** Parameters with invalid values are refused. */
  readonly strictParams: boolean;
  /** The document service: every read and write of documents for a caller goes through it. */
  readonly documents: GetDocuments;
  /** Is told about writes that nothing intercepts, and about files. */
  readonly reports?: WriteReports | undefined;
  /** Writes do not copy what locales share: the caller writes every locale. */
  readonly separatesLocales?: boolean;
  /** Writes the rows, instead of the plain store; data may then set system columns. */
  readonly rows?: RowStores;
}

export interface IdSource {
  /** 24 characters of a-z and 0-9, the first one a letter. */
  readonly documentId: () => string;
  /** Ten hexadecimal digits, for the file of an upload with this name. */
  readonly fileSuffix: (name: string) => string;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const LETTERS_AND_DIGITS = `${LETTERS}0123456789`;
const SUFFIX_BYTES = 5;

/** Creates document ids from the random bytes that `random` returns; by default the system's. */
export function createDocumentIds(random?: (count: number) => Uint8Array): () => string {
  const { customAlphabet, customRandom } = require("nanoid") as typeof import("nanoid");
  const make = (alphabet: string, length: number) =>
    random ? customRandom(alphabet, length, random) : customAlphabet(alphabet, length);
  const letter = make(LETTERS, 1);
  const rest = make(LETTERS_AND_DIGITS, 23);
  return () => letter() + rest();
}

// created on first use: reads need no ids
let randomDocumentId: (() => string) | undefined;

export const randomIds: IdSource = {
  documentId: () => {
    randomDocumentId ??= createDocumentIds();
    return randomDocumentId();
  },
  fileSuffix: () => crypto.getRandomValues(new Uint8Array(SUFFIX_BYTES)).toHex(),
};
