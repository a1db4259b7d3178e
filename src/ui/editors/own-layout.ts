/**
 * Limits the layout of each key to the text of an editor. As long as the height of an element depends on its content, browsers lay
 * out everything around it, too: the field, the form, and the page. So its height is set to that of `content` whenever that
 * changes, which is still before the page is painted.
 */
export function setOwnLayout(body: HTMLElement, content: HTMLElement): void {
  new ResizeObserver((entries) => {
    const height = entries.at(-1)?.borderBoxSize[0]?.blockSize ?? 0;
    // not while it is hidden
    if (height === 0) return;
    body.style.height = `${height}px`;
    body.classList.add("editor-own-layout");
  }).observe(content, { box: "border-box" });
}
