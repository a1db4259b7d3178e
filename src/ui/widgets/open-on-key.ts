/** For selects whose choice takes effect at once: keys open them, since browsers of some systems choose the next option. */

/** Keys that change the value of a closed select in some browsers: letters, and those that move. */
const CHANGING_KEY = /^(.|(Arrow|Page)(Up|Down|Left|Right)|Home|End)$/;

/** Handles keys of a closed select: opens it, so that nothing is chosen before Enter or a click. */
export function openOnKey(event: KeyboardEvent): void {
  const select = event.currentTarget as HTMLSelectElement;
  // browsers without it open the select with these keys
  if (!select.showPicker || !CHANGING_KEY.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  select.showPicker();
}
