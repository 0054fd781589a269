import { useSignal } from "@preact/signals";
import { api } from "../data/api.ts";
import { formatTime, timeOf } from "../data/format.ts";
import { failureText } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { Icon } from "../parts/icon.tsx";
import { Ago, Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import type { CompanyShown } from "./company-drawer.tsx";

interface EntriesProps {
  readonly company: CompanyShown;
  readonly canEdit: boolean;
  readonly onChanged: () => void;
}

const outcomes = ["reached", "voicemail", "no answer", "wrong number", "not interested"];

export function CompanyEntries({ company, canEdit, onChanged }: EntriesProps) {
  const entries = company.entries.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  return (
    <>
      {company.callback !== undefined && (
        <p>
          <Icon name="clock" /> Call back <Ago atMs={timeOf(company.callback)} />
        </p>
      )}
      {canEdit && <NewEntry company={company} onChanged={onChanged} />}
      {entries.length === 0 ? (
        <p class="dim">No notes, meetings or calls yet.</p>
      ) : (
        <ol class="timeline">
          {entries.map(({ id, kind, at, text, title, by, outcome }) => (
            <li key={id}>
              <b>{title ? shownText(title, 120) : kind}</b>{" "}
              {outcome && <span class="pill quiet">{shownText(outcome, 40)}</span>}{" "}
              <small class="dim" title={at}>
                {by ? `${shownText(by, 40)}, ` : ""}
                <Ago atMs={timeOf(at)} />
              </small>
              <br />
              <Text value={text} max={4_000} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function NewEntry({
  company,
  onChanged,
}: {
  readonly company: CompanyShown;
  readonly onChanged: () => void;
}) {
  // prettier-ignore
  const kind = useSignal<"note" | "call">("note");
  const text = useSignal("");
  const outcome = useSignal("reached");
  const callback = useSignal("");
  const problem = useSignal("");
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      const callbackMs = callback.value === "" ? undefined : new Date(callback.value).getTime();
      await api.send("POST", "/api/companies/{name}/entries", {
        params: { name: company.slug },
        body: {
          kind: kind.value,
          text: text.value,
          ...(kind.value === "call" && { outcome: outcome.value }),
          ...(kind.value === "call" && callbackMs !== undefined && { callback: new Date(callbackMs).toISOString() }), // prettier-ignore
        },
        idempotencyKey: crypto.randomUUID?.() ?? `${performance.now()}`,
      });
      const when = callbackMs === undefined ? "" : `; call back ${formatTime(callbackMs)}`;
      showToast(kind.value === "note" ? "Note saved" : `Call saved${when}`);
      text.value = "";
      callback.value = "";
      problem.value = "";
      onChanged();
    } catch (error) {
      problem.value = failureText(error, "nothing was saved");
    }
  };
  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      <div class="row" role="radiogroup" aria-label="Kind of entry">
        {(["note", "call"] as const).map((one) => (
          <label class="row" key={one}>
            <input
              type="radio"
              name="kind"
              checked={kind.value === one}
              onChange={() => (kind.value = one)}
            />
            {one === "note" ? "Note" : "Call"}
          </label>
        ))}
        {kind.value === "call" && (
          <>
            <select
              aria-label="Outcome"
              value={outcome.value}
              onChange={(event) => (outcome.value = event.currentTarget.value)}
            >
              {outcomes.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
            <label class="row">
              <span class="dim">call back</span>
              <input
                type="datetime-local"
                value={callback.value}
                onInput={(event) => (callback.value = event.currentTarget.value)}
              />
            </label>
          </>
        )}
      </div>
      <textarea
        rows={3}
        aria-label="Text"
        placeholder={kind.value === "note" ? "A note about this company" : "What was said"}
        maxLength={20_000}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {problem.value !== "" && (
        <p class="alarm bad" role="alert">
          <span>{shownText(problem.value)}</span>
        </p>
      )}
      <div>
        <button class="btn go small" disabled={text.value.trim() === ""}>
          Save {kind.value}
        </button>
      </div>
    </form>
  );
}
