/** The project's locales, which `config/galley.json` lists. */
import { useState } from "preact/hooks";
import { api, errorMessage } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { type Locale, loadStart, start } from "../model.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { SelectField } from "../widgets/select.tsx";
import { showDone, showProblem } from "../widgets/toasts.tsx";
import { useWork } from "../widgets/use-work.ts";

interface IsoLocale {
  readonly code: string;
  readonly name: string;
}

interface NewLocaleProps {
  readonly taken: readonly string[];
  readonly onAdded: () => Promise<void>;
}

function NewLocale({ taken, onAdded }: NewLocaleProps) {
  const { data: available = [], problem: unlisted } = useAnswer<readonly IsoLocale[]>("/i18n/iso-locales");
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setIsBusy(true);
    const name = available.find((locale) => locale.code === code)?.name;
    try {
      await api.post("/i18n/locales", { code, ...(name === undefined ? {} : { name }), isDefault: false });
      await onAdded();
      showDone(`Added ${name ?? code}`);
      setCode("");
      setProblem(undefined);
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setIsBusy(false);
  };
  return (
    <form class="why-form" onSubmit={add}>
      <SelectField
        label="Add a locale"
        value={code}
        placeholder="Choose a language"
        options={available.filter((locale) => !taken.includes(locale.code)).map((locale) => [locale.code, locale.name])}
        onChoose={setCode}
      />
      <Button kind="primary" text="Add" type="submit" disabled={code === ""} aria-disabled={isBusy} />
      <Alert text={problem ?? unlisted} />
    </form>
  );
}

export function LocalesPage() {
  const locales = start.value?.locales ?? [];
  const { file, problem } = start.value!.settingsSource;
  const canChange = problem === undefined;
  // what the whole page knows of locales
  const [isBusy, change] = useWork(() => loadStart().catch(showProblem));
  const makeDefault = ({ id, name }: Locale): Promise<unknown> =>
    change(() => api.put(`/i18n/locales/${id}`, { isDefault: true }), `${name} is the default`);
  const remove = async ({ id, name, code }: Locale): Promise<void> => {
    const text = `All content in ${code} is deleted, too. This cannot be undone.`;
    if (!(await confirm({ title: `Delete ${name}?`, text, action: "Delete", isDangerous: true }))) return;
    await change(() => api.delete(`/i18n/locales/${id}`), `Deleted ${name}`);
  };
  return (
    <div class="page">
      <header class="page-head">
        <h1>Locales</h1>
      </header>
      <p class="muted">
        Requests without a locale get the default one. <code>{file}</code> lists them.
      </p>
      {canChange ? (
        <NewLocale taken={locales.map(({ code }) => code)} onAdded={() => loadStart()} />
      ) : (
        <p class="notice">{problem}.</p>
      )}
      <ul class="stack item-list">
        {locales.map((locale) => (
          <li key={locale.id} class="row item">
            <div>
              <strong>{locale.name}</strong> {locale.name.includes(locale.code) ? null : <code>{locale.code}</code>}
              {locale.isDefault ? <span class="badge">Default</span> : null}
            </div>
            {locale.isDefault || !canChange ? null : (
              <div class="page-actions">
                <Button
                  text="Make default"
                  aria-disabled={isBusy}
                  aria-label={`Make default: ${locale.name}`}
                  onClick={() => makeDefault(locale)}
                />
                <Button
                  kind="remove"
                  text="Delete"
                  aria-disabled={isBusy}
                  aria-label={`Delete ${locale.name}`}
                  onClick={() => remove(locale)}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
