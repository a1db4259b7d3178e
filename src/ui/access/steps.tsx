/** The steps of an access decision, and the response. */
import { Icon, type IconName } from "../widgets/icon.tsx";
import { type Explanation, findTarget, type Step } from "./explanation.ts";

const outcomes: Readonly<Record<Step["outcome"], { readonly icon: IconName; readonly label: string }>> = {
  passed: { icon: "check", label: "Passed" },
  refused: { icon: "close", label: "Refused" },
  dropped: { icon: "warning", label: "Ignored" },
  remark: { icon: "more", label: "Note" },
};

function StepItem({ step: { outcome, text, link } }: { readonly step: Step }) {
  const { icon, label } = outcomes[outcome];
  const target = link && findTarget(link);
  return (
    <li class={`row step step-${outcome}`}>
      <Icon name={icon} />
      <span class="visually-hidden">{label}: </span>
      <span>{text}</span>
      {target ? <a href={target.href}>{target.label}</a> : null}
    </li>
  );
}

const AnswerView = ({ answer }: { readonly answer: NonNullable<Explanation["answer"]> }) => (
  <section class="stack answer" aria-label="Response">
    <h2>
      Response{" "}
      <span class={answer.status < 400 ? "status status-published" : "status status-modified"}>{answer.status}</span>
    </h2>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
    <pre tabIndex={0}>{JSON.stringify(answer.body, undefined, 2)}</pre>
  </section>
);

export const Steps = ({ explanation: { steps, answer } }: { readonly explanation: Explanation }) => (
  <>
    <ol class="steps" aria-label="Decision">
      {steps.map((step) => (
        <StepItem key={step.text} step={step} />
      ))}
    </ol>
    {answer ? <AnswerView answer={answer} /> : null}
  </>
);
