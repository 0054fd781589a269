import { useSignal } from "@preact/signals";
import { api, type RowOf } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { DialogForm, textOf } from "../parts/dialog-form.tsx";
import { showToast } from "../parts/toast.tsx";
import { cronWords } from "./schedule-words.ts";

type Schedule = RowOf<"/api/schedules">;
type Kind = Schedule["action"]["kind"];
type Action = Schedule["action"];

const kinds: Readonly<Record<Kind, string>> = {
  gather: "gather: run a campaign",
  rescrape: "rescrape: read websites again",
  resolve: "resolve: merge certain duplicates",
  report: "report: compute a campaign's report",
  export: "export: write companies to a file",
  publish: "publish: renew a published site",
  compact: "compact: shrink the ledger",
  purge: "purge: move finished tasks into the log",
};

const formats = ["csv", "json", "jsonl", "vcf", "geojson", "kml"] as const;
const missing = ["email", "phone", "domain"] as const;
const needsCampaign = (kind: Kind) => kind === "gather" || kind === "report";
const mayHaveCampaign = (kind: Kind) => needsCampaign(kind) || kind === "export";
const minuteMs = 60_000;
const dayMs = 86_400_000;

interface ScheduleFormProps {
  /** Absent: a new schedule. */
  readonly schedule?: Schedule | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Adds a schedule, or changes one: the server checks it, and it then starts from now. */
export function ScheduleForm({ schedule, onClose, onSaved }: ScheduleFormProps) {
  const kind = useSignal<Kind>(schedule?.action.kind ?? "gather");
  const isCron = useSignal(schedule ? "cron" in schedule.timing : true);
  const save = async (form: FormData) => {
    const text = (name: string) => textOf(form, name);
    const name = schedule?.name ?? text("name");
    const { change } = await api.send("PUT", "/api/schedules/{schedule}", {
      params: { schedule: name },
      body: {
        ...(isCron.value
          ? { cron: text("cron"), timezone: text("timezone") }
          : { everyMs: Math.round(minuteMs * Number(text("minutes"))) }),
        action: actionOf(kind.value, form, schedule?.action),
        missed: text("missed") as Schedule["missed"],
        overlap: text("overlap") as Schedule["overlap"],
        withinMs: Math.round(minuteMs * Number(text("within"))),
      },
    });
    showToast(change === "unchanged" ? "Nothing was different" : `${name} was ${change}; it counts from now`); // prettier-ignore
    onSaved();
    onClose();
    return undefined;
  };
  return (
    <DialogForm
      title={schedule ? `Change ${schedule.name}` : "Add a schedule"}
      button={schedule ? "Save" : "Add it"}
      failure={["Not saved", "nothing was changed"]}
      onSend={save}
      onClose={onClose}
    >
      {!schedule && (
        <label class="field-label">
          Name
          <input name="name" required autoFocus maxLength={63} placeholder="austin-weekly" />
        </label>
      )}
      <label class="field-label">
        What it does
        <select
          value={kind.value}
          onChange={(event) => (kind.value = event.currentTarget.value as Kind)}
        >
          {(Object.keys(kinds) as Kind[]).map((one) => (
            <option key={one} value={one}>
              {kinds[one]}
            </option>
          ))}
        </select>
      </label>
      <ActionFields kind={kind.value} action={schedule?.action} />
      <Timing schedule={schedule} isCron={isCron.value} onCron={(is) => (isCron.value = is)} />
      <Rules schedule={schedule} />
    </DialogForm>
  );
}

interface ActionFieldsProps {
  readonly kind: Kind;
  readonly action: Action | undefined;
}

function ActionFields({ kind, action }: ActionFieldsProps) {
  const campaigns = useResource("campaigns", (signal) => api.get("/api/campaigns", { signal }));
  const names = new Set((campaigns.data?.rows ?? []).map(({ campaign }) => campaign));
  if (action?.campaign !== undefined) names.add(action.campaign);
  return (
    <>
      {mayHaveCampaign(kind) && (
        <label class="field-label">
          Campaign
          <select
            name="campaign"
            required={needsCampaign(kind)}
            key={names.size}
            defaultValue={action?.campaign}
          >
            {" "}
            {/* prettier-ignore */}
            {!needsCampaign(kind) && <option value="">all companies</option>}
            {[...names].map((name) => (
              <option key={name} selected={name === action?.campaign}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {kind === "rescrape" && (
        <>
          <fieldset class="row">
            <legend>Only companies without</legend>
            {missing.map((one) => (
              <label key={one} class="row choice">
                <input
                  type="checkbox"
                  name="missing"
                  value={one}
                  defaultChecked={action?.missing?.includes(one) ?? false}
                />{" "}
                {/* prettier-ignore */}
                {one}
              </label>
            ))}
          </fieldset>
          <label class="field-label">
            Only websites not read for this many days (empty: all)
            <input
              name="stale"
              type="number"
              min={1}
              max={3_650}
              step="any"
              defaultValue={action?.staleMs === undefined ? "" : String(action.staleMs / dayMs)}
            />{" "}
            {/* prettier-ignore */}
          </label>
        </>
      )}
      {kind === "export" && (
        <div class="pair">
          <label class="field-label">
            Format
            <select name="format">
              {formats.map((one) => (
                <option key={one} selected={one === (action?.format ?? "csv")}>
                  {one}
                </option>
              ))}
            </select>
          </label>
          <label class="field-label">
            Only what is new to the export (empty: everything)
            <input name="onlyNew" maxLength={63} defaultValue={action?.onlyNew ?? ""} />
          </label>
        </div>
      )}
      {kind === "publish" && (
        <label class="field-label">
          Where, as it was published before
          <input name="target" required maxLength={1_000} defaultValue={action?.target ?? ""} />
        </label>
      )}
    </>
  );
}

/** Fields that this form does not show are kept. */
function actionOf(kind: Kind, form: FormData, before: Action | undefined): Action {
  const text = (name: string) => textOf(form, name);
  const optional = (name: string) => (text(name) === "" ? {} : { [name]: text(name) });
  const lacks = missing.filter((one) => form.getAll("missing").includes(one));
  const isFeed = kind === "export" && before?.kind === "export" && before.changes !== undefined;
  return {
    kind,
    ...(mayHaveCampaign(kind) && optional("campaign")),
    ...(kind === "rescrape" && lacks.length > 0 && { missing: lacks }),
    ...(kind === "rescrape" && text("stale") !== "" && { staleMs: Math.round(dayMs * Number(text("stale"))) }), // prettier-ignore
    ...(kind === "export" && !isFeed && { format: text("format") as Action["format"] & string }),
    ...(kind === "export" && !isFeed && optional("onlyNew")),
    ...(isFeed && { changes: before.changes }),
    ...(kind === "publish" && optional("target")),
  };
}

interface TimingProps {
  readonly schedule: Schedule | undefined;
  readonly isCron: boolean;
  readonly onCron: (isCron: boolean) => void;
}

function Timing({ schedule, isCron, onCron }: TimingProps) {
  const timing = schedule?.timing;
  const before = timing && "cron" in timing ? timing : undefined;
  const cron = useSignal(before?.cron ?? "0 6 * * 1");
  const zone = before?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <div class="row" role="radiogroup" aria-label="When">
        {[true, false].map((is) => (
          <label key={String(is)} class="row choice">
            <input type="radio" name="when" checked={is === isCron} onChange={() => onCron(is)} />
            {is ? "at times of the clock" : "after an interval"}
          </label>
        ))}
      </div>
      {isCron ? (
        <div class="pair">
          <label class="field-label">
            Minute, hour, day, month, weekday
            <input
              name="cron"
              class="code"
              required
              maxLength={200}
              value={cron.value}
              onInput={(event) => (cron.value = event.currentTarget.value)}
            />
          </label>
          <label class="field-label">
            Time zone
            <input name="timezone" required maxLength={64} defaultValue={zone} />
          </label>
          <small class="dim">{cronWords(cron.value) ?? "as a cron expression"}</small>
        </div>
      ) : (
        <label class="field-label">
          Every so many minutes
          <input
            name="minutes"
            type="number"
            required
            min={1}
            step="any"
            defaultValue={String(timing && "everyMs" in timing ? timing.everyMs / minuteMs : 60)}
          />
        </label>
      )}
    </>
  );
}

const Rules = ({ schedule }: { readonly schedule: Schedule | undefined }) => (
  <div class="pair">
    <label class="field-label">
      If no node was running at its time
      <select name="missed">
        <option value="latest" selected={(schedule?.missed ?? "latest") === "latest"}>
          the latest one runs later
        </option>
        <option value="skip" selected={schedule?.missed === "skip"}>
          none runs later
        </option>
        <option value="all" selected={schedule?.missed === "all"}>
          all run later
        </option>
      </select>
    </label>
    <label class="field-label">
      If the run before has not ended
      <select name="overlap">
        <option value="skip" selected={(schedule?.overlap ?? "skip") === "skip"}>
          skip it
        </option>
        <option value="queue" selected={schedule?.overlap === "queue"}>
          wait for it
        </option>
      </select>
    </label>
    <label class="field-label">
      Skip it if it cannot start for this many minutes
      <input
        name="within"
        type="number"
        required
        min={1}
        step="any"
        defaultValue={String((schedule?.withinMs ?? dayMs) / minuteMs)}
      />
    </label>
  </div>
);
