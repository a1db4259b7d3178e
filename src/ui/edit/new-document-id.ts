const LENGTH = 24;
const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const LETTERS = 26;

/** An id for a new document, in the form of those that the server makes: letters and digits, the first one a letter. */
export function newDocumentId(): string {
  let id = "";
  while (id.length < LENGTH) {
    // numbers up to 63; those without a character are dropped, so that all characters are equally likely
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    const index = byte % 64;
    if (index < (id === "" ? LETTERS : CHARACTERS.length)) id += CHARACTERS[index];
  }
  return id;
}
