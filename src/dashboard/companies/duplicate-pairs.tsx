import { useSignal } from "@preact/signals";
import { api, type RowOf } from "../data/api.ts";
import { formatDistance, plural } from "../data/format.ts";
import { failureText, useResource } from "../data/resource.ts";
import { may } from "../data/session.ts";
import { shownText } from "../data/safe-text.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { showToast } from "../parts/toast.tsx";
import { Top } from "../parts/top.tsx";
import { callDistinct, Merge } from "./merge.tsx";

type Pair = RowOf<"/api/records/duplicates">;

const shownMax = 50;

/** Pairs of possible duplicates, for a user to decide. */
export function DuplicatePairs() {
  const pairs = useResource(
    "pairs",
    (signal) => api.get("/api/records/duplicates", { query: { limit: shownMax }, signal }),
    { topics: ["records"] },
  );
  const compared = useSignal<readonly [string, string] | undefined>(undefined);
  const isResolveOpen = useSignal(false);
  const canEdit = may("companies:write");
  const sure = (pairs.data?.rows ?? []).filter(({ verdict }) => verdict === "same").length;
  return (
    <>
      <Top title="Possible duplicates">
        <a class="btn" href="/companies">
          <Icon name="chevron-left" /> Companies
        </a>
        {canEdit && sure > 0 && (
          <button class="btn go" onClick={() => (isResolveOpen.value = true)}>
            <Icon name="merge" /> Merge the sure ones
          </button>
        )}
      </Top>
      <section class="card" aria-label="Pairs">
        <Loaded from={pairs}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Notice icon="check" title="No two companies look the same">
                <p>Pairs appear here when two sources name one business differently.</p>
              </Notice>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th>Company</th>
                    <th>Looks like</th>
                    <th>Because</th>
                    <th>
                      <span class="for-readers">Decision</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((pair) => (
                    <PairLine
                      key={`${pair.into.target} ${pair.from.target}`}
                      pair={pair}
                      canEdit={canEdit}
                      onCompare={() => (compared.value = [pair.into.slug, pair.from.slug])}
                      onChanged={pairs.reload}
                    />
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </section>
      <Same command="forager company duplicates" api="GET /api/records/duplicates" />
      {compared.value && (
        <Merge
          names={compared.value}
          onClose={() => (compared.value = undefined)}
          onChanged={() => {
            compared.value = undefined;
            pairs.reload();
          }}
        />
      )}
      {isResolveOpen.value && (
        <Resolve
          onClose={() => (isResolveOpen.value = false)}
          onDone={() => {
            isResolveOpen.value = false;
            pairs.reload();
          }}
        />
      )}
    </>
  );
}

interface PairLineProps {
  readonly pair: Pair;
  readonly canEdit: boolean;
  readonly onCompare: () => void;
  readonly onChanged: () => void;
}

function PairLine({ pair, canEdit, onCompare, onChanged }: PairLineProps) {
  const { verdict, into, from, evidence } = pair;
  const link = ({ slug, name }: Pair["into"]) => (
    <a href={`/companies?open=${encodeURIComponent(slug)}`}>
      <Text value={name || slug} max={80} />
    </a>
  );
  return (
    <tr>
      <td data-label="Company">{link(into)}</td>
      <td data-label="Looks like">{link(from)}</td>
      <td data-label="Because">
        <span>
          <span class={`pill ${verdict === "same" ? "" : "quiet"}`}>
            {verdict === "same" ? "certainly the same" : "to decide"}
          </span>{" "}
          <small class="dim">{evidenceText(evidence)}</small>
        </span>
      </td>
      <td class="n">
        {canEdit && (
          <span class="row end">
            <button class="btn small" onClick={onCompare}>
              Compare
            </button>
            <button
              class="btn small"
              onClick={() => void callDistinct(into.slug, from.slug, onChanged)}
            >
              Not the same
            </button>
          </span>
        )}
      </td>
    </tr>
  );
}

/** The evidence for and against a pair. */
function evidenceText({ name, distanceM, phone, domain, sameAddress }: Pair["evidence"]): string {
  const shown = [
    ...(typeof name === "number" ? [`names ${Math.round(100 * name)} % alike`] : []),
    ...(typeof domain === "string" ? [`same domain ${domain}`] : []),
    ...(typeof phone === "string" ? [`same phone ${phone}`] : []),
    ...(sameAddress === true ? ["same address"] : []),
    ...(typeof distanceM === "number" ? [`${formatDistance(distanceM)} apart`] : []),
  ];
  return shownText(shown.join(", "), 200);
}

function Resolve({
  onClose,
  onDone,
}: {
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  // prettier-ignore
  const counted = useResource("count", (signal) =>
    api.send("POST", "/api/records/resolve", { body: { isDryRun: true }, signal }),
  );
  const isBusy = useSignal(false);
  const merge = async () => {
    isBusy.value = true;
    try {
      const { merged } = await api.send("POST", "/api/records/resolve", { body: {} });
      showToast(`${plural(merged, "company", "companies")} merged`);
      onDone();
    } catch (error) {
      showToast(failureText(error, "not all were merged"));
    }
    isBusy.value = false;
  };
  return (
    <Dialog title="Merge all that are certainly the same" onClose={onClose}>
      <Loaded from={counted}>
        {({ merged, left }) => (
          <>
            <p>
              <b>{plural(merged, "company", "companies")}</b> of different sources are surely the
              same business as another one.{" "}
              {left !== null && `${plural(left, "pair")} stay for you to decide.`}
            </p>
            <p class="dim">Each can be separated again: open the company that stayed.</p>
            <div class="row">
              <button
                class="btn go"
                disabled={isBusy.value || merged === 0}
                onClick={() => void merge()}
              >
                {isBusy.value ? "Merging…" : `Merge ${plural(merged, "company", "companies")}`}
              </button>
              <button class="btn" onClick={onClose}>
                Cancel
              </button>
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
