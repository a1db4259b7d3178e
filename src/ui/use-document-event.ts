/** A hook for an event of the document, wherever the focus is. */
import { useEffect, useRef } from "preact/hooks";

/** `handle` is that of the last rendering. */
export function useDocumentEvent<Name extends keyof DocumentEventMap>(
  name: Name,
  handle: (event: DocumentEventMap[Name]) => void,
): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const listener = (event: DocumentEventMap[Name]): void => latest.current(event);
    document.addEventListener(name, listener);
    return () => document.removeEventListener(name, listener);
  }, []);
}
