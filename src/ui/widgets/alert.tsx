/** Why something was not loaded or done, told at once to those who do not see the page. */
import { Button } from "./button.tsx";

interface AlertProps {
  /** Undefined or empty: nothing. */
  readonly text: string | undefined;
  readonly class?: string;
  /** Loads it again. */
  readonly retry?: () => void;
}

export const Alert = ({ text, class: className = "field-problem", retry }: AlertProps) =>
  text ? (
    <p class={className} role="alert">
      {text}
      {retry ? (
        <>
          {" "}
          <Button kind="link" text="Try again" onClick={retry} />
        </>
      ) : null}
    </p>
  ) : null;
