/** Document ids: 24 characters of a-z and 0-9, the first one a letter. */
import { customAlphabet } from "nanoid";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

const letter = customAlphabet(LETTERS, 1);
const rest = customAlphabet(`${LETTERS}0123456789`, 23);

export const createDocumentId = (): string => letter() + rest();
