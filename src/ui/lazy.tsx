/** Components that are loaded on demand. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { errorMessage } from "./api/client.ts";
import { Button } from "./widgets/button.tsx";

/** A component that loads another one when it is first rendered. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, setIsLoaded] = useState(loaded !== undefined);
    const [problem, setProblem] = useState<string>();
    useEffect(() => {
      // another instance may have loaded it between this one's first rendering and now
      if (loaded) return setIsLoaded(true);
      load().then(
        (component) => {
          loaded = component;
          setIsLoaded(true);
        },
        (error: unknown) => setProblem(errorMessage(error)),
      );
    }, []);
    if (problem !== undefined)
      return (
        <div class="page-problem" role="alert">
          <p>This part of the page could not be loaded: {problem}</p>
          <Button text="Reload the page" onClick={() => window.location.reload()} />
        </div>
      );
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : <div class="page-loading" aria-busy="true" />;
  };
}
