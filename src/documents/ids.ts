/** Ids that nobody chooses. */

export interface IdSource {
  /** 24 characters of a-z and 0-9, the first one a letter. */
  readonly documentId: () => string;
  /** Ten hexadecimal digits, for the file of an upload with this name. */
  readonly fileSuffix: (name: string) => string;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const LETTERS_AND_DIGITS = `${LETTERS}0123456789`;
const SUFFIX_BYTES = 5;

/** Makes ids of random bytes, which `random` returns; the system's by default. */
export function documentIdsOf(random?: (count: number) => Uint8Array): () => string {
  const { customAlphabet, customRandom } = require("nanoid") as typeof import("nanoid");
  const make = (alphabet: string, length: number) =>
    random ? customRandom(alphabet, length, random) : customAlphabet(alphabet, length);
  const letter = make(LETTERS, 1);
  const rest = make(LETTERS_AND_DIGITS, 23);
  return () => letter() + rest();
}

// a server that is only read makes no id
let randomDocumentId: (() => string) | undefined;

export const randomIds: IdSource = {
  documentId: () => {
    randomDocumentId ??= documentIdsOf();
    return randomDocumentId();
  },
  fileSuffix: () => crypto.getRandomValues(new Uint8Array(SUFFIX_BYTES)).toHex(),
};
