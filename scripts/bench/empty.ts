/** Nothing: compiled like Galley, it shows what an executable costs before its program begins. */
export {};
