import { useSignal } from "@preact/signals";
import { api, type AnswerOf } from "../data/api.ts";
import { formatAmount, formatCount, formatDuration, plural } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loaded } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";

interface RunProps {
  readonly campaign: string;
  readonly onClose: () => void;
  readonly onStarted: (added: number) => void;
}

type Plan = AnswerOf<"POST", "/api/campaigns/{campaign}/plan">;
type Due = AnswerOf<"POST", "/api/campaigns/{campaign}/dispatch">;

const amounts = ["all", "canary", "batch"] as const;

/** Shows what a run would search and cost, then starts all of it or a part. */
export function RunCampaign({ campaign, onClose, onStarted }: RunProps) {
  const isRematch = useSignal(false);
  const isForced = useSignal(false);
  const key = JSON.stringify([isRematch.value, isForced.value]);
  const asked = useResource(key, async (signal) => {
    const params = { campaign };
    const forced = { isDryRun: true, isForced: isForced.value };
    const [plan, due] = await Promise.all([
      api.send("POST", "/api/campaigns/{campaign}/plan", { params, body: forced, signal }),
      api.send("POST", "/api/campaigns/{campaign}/dispatch", { params, body: { ...forced, isRematch: isRematch.value }, signal }), // prettier-ignore
    ]);
    return { plan, due };
  });
  const start = async (part: { readonly batch?: number; readonly canary?: number }) => {
    const body = { isRematch: isRematch.value, isForced: isForced.value, ...part };
    const { added } = await api.send("POST", "/api/campaigns/{campaign}/dispatch", { params: { campaign }, body }); // prettier-ignore
    onStarted(added);
  };
  const isTooLarge = asked.failure?.kind === "problem" && asked.failure.code === "campaign_overpass_size"; // prettier-ignore
  return (
    <Dialog title={`Run ${campaign}`} onClose={onClose}>
      {asked.isLoading && !asked.data && <p class="dim">Counting what is due…</p>}
      {(asked.data !== undefined || !asked.isLoading) && (
        <Loaded from={asked}>
          {({ plan, due }) => (
            <>
              <Planned plan={plan} due={due} />
              <label class="row one-line dim">
                <input
                  type="checkbox"
                  checked={isRematch.value}
                  onChange={(event) => (isRematch.value = event.currentTarget.checked)}
                />
                <span>also repeat searches made with other tags or an older release</span>
              </label>
              {due.due > 0 && <Start due={due} onStart={start} onClose={onClose} />}
            </>
          )}
        </Loaded>
      )}
      {isTooLarge && (
        <button class="btn" onClick={() => (isForced.value = true)}>
          I operate this server: continue anyway
        </button>
      )}
    </Dialog>
  );
}

function Planned({ plan, due }: { readonly plan: Plan; readonly due: Due }) {
  const { requests, sources, advice } = plan;
  const fresh = due.targets - due.leftOut - due.due;
  return (
    <>
      <p>
        {due.due === 0 ? (
          <>
            <b>Nothing is due.</b> All {plural(plan.tiles, "tile")} were searched, and none has
            expired.
          </>
        ) : (
          <>
            <b>{plural(due.due, "search", "searches")} due</b>, of {formatCount(due.targets)} in{" "}
            {plural(plan.tiles, "tile")}. One task searches a tile for all phrases.
          </>
        )}
      </p>
      <dl class="pairs">
        <dt>Around</dt>
        <dd>
          {plan.locations.slice(0, 4).map(({ name, proximityKm }, index) => (
            <>
              {index > 0 && ", "}
              <Text value={name} max={60} /> {formatAmount(proximityKm)} km
            </>
          ))}
          {plan.locations.length > 4 && ` and ${plan.locations.length - 4} more`}
        </dd>
        {fresh > 0 && (
          <>
            <dt>Fresh, not searched again</dt>
            <dd>{formatCount(fresh)}</dd>
          </>
        )}
        {due.leftOut > 0 && (
          <>
            <dt>Skipped: tile without places</dt>
            <dd>{formatCount(due.leftOut)}</dd>
          </>
        )}
        {sources.map(({ name, release, places }) => (
          <>
            <dt>
              Places in <Text value={name} max={40} />
            </dt>
            <dd title={release}>{formatCount(places)}</dd>
          </>
        ))}
        <dt>Requests to find places</dt>
        <dd>
          {requests === null
            ? "none: the places are in files"
            : `${formatCount(requests.tiles)} to ${shownText(requests.source, 40)}, ${requests.tiles === 0 ? "all tiles are stored" : `at least ${formatDuration(3_600_000 * requests.hours)}`}`}
        </dd>
        <dt>Then</dt>
        <dd>each company with a website is visited</dd>
      </dl>
      {(advice ?? due.advice) !== null && (
        <div class="alarm">
          <b>Consider</b>
          <span>{shownText((advice ?? due.advice)!, 600)}</span>
        </div>
      )}
    </>
  );
}

interface StartProps {
  readonly due: Due;
  readonly onStart: (part: { readonly batch?: number; readonly canary?: number }) => Promise<void>;
  readonly onClose: () => void;
}

function Start({ due, onStart, onClose }: StartProps) {
  const amount = useSignal<(typeof amounts)[number]>("all");
  const size = useSignal(20);
  const isBusy = useSignal(false);
  const problem = useSignal("");
  const labels = {
    all: `All ${plural(due.chosen, "task")}`,
    canary: "A sample from all over the plan",
    batch: "The first tasks of the plan",
  };
  const part = amount.value === "all" ? {} : { [amount.value]: size.value };
  const start = async (event: Event) => {
    event.preventDefault();
    isBusy.value = true;
    problem.value = "";
    try {
      await onStart(part);
    } catch (error) {
      problem.value = failureText(error, "nothing was started");
    }
    isBusy.value = false;
  };
  const count = amount.value === "all" ? due.chosen : Math.min(size.value, due.chosen);
  return (
    <form class="stack" onSubmit={(event) => void start(event)}>
      <div class="stack tight" role="radiogroup" aria-label="How much">
        {amounts.map((one) => (
          <label class="row" key={one}>
            <input
              type="radio"
              name="amount"
              checked={amount.value === one}
              onChange={() => (amount.value = one)}
            />
            {labels[one]}
            {one !== "all" && amount.value === one && (
              <input
                type="number"
                min={1}
                max={due.chosen}
                aria-label="How many tasks"
                value={size.value}
                onInput={(event) => (size.value = Math.max(1, Number(event.currentTarget.value)))}
              />
            )}
          </label>
        ))}
      </div>
      {problem.value !== "" && (
        <div class="alarm bad" role="alert">
          <b>Not started</b>
          <span>{shownText(problem.value, 600)}</span>
        </div>
      )}
      <div class="row">
        <button class="btn go" disabled={isBusy.value}>
          Start {plural(count, "task")}
        </button>
        <button type="button" class="btn" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
