import { useSignal } from "@preact/signals";
import { isPublished } from "../data/published.ts";
import { lazyScreen } from "../parts/lazy-screen.tsx";
import { CommandText } from "../parts/command-text.tsx";

const shownMax = 4;

const Runbook = lazyScreen(async () => (await import("./runbook.tsx")).RunbookDialog);

export interface ShownProblem {
  /** Its page of the runbook. */
  readonly name: string;
  readonly text: string;
}

interface AlarmsProps {
  readonly texts: readonly string[];
  readonly problems: readonly ShownProblem[];
}

/** Problems that need attention. Commands in a text can be copied. */
export function Alarms({ texts, problems }: AlarmsProps) {
  if (texts.length === 0) return null;
  return (
    <div class="stack" role="status" aria-label="Needs attention">
      {texts.slice(0, shownMax).map((text) => (
        <Alarm key={text} text={text} page={problems.find((one) => one.text === text)?.name} />
      ))}
      {texts.length > shownMax && (
        <p class="dim">
          and {texts.length - shownMax} more: <code>forager status --cluster</code>
        </p>
      )}
    </div>
  );
}

interface AlarmProps {
  readonly text: string;
  /** Its page of the runbook. */
  readonly page?: string | undefined;
}

export function Alarm({ text, page }: AlarmProps) {
  const isOpen = useSignal(false);
  const hasPage = page !== undefined && !isPublished;
  return (
    <div class="alarm">
      <b>Needs attention</b>
      <span>
        <CommandText text={text} />
      </span>
      {hasPage && (
        <button class="btn" onClick={() => (isOpen.value = true)}>
          What to do
        </button>
      )}
      {hasPage && isOpen.value && <Runbook name={page} onClose={() => (isOpen.value = false)} />}
    </div>
  );
}
