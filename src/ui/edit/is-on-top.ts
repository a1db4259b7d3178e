/** Whether keys are those of an editor: of the topmost one, and of none below a dialog. */
export function isOnTop(section: HTMLElement | null): boolean {
  const top = [...document.querySelectorAll("dialog[open]")].at(-1);
  return top ? top.contains(section) : section !== null;
}
