/** Generates document ids and suffixes of file names. */

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
