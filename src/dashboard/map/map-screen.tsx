import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, apiUrl } from "../data/api.ts";
import { formatCount, formatDay, serverNowMs } from "../data/format.ts";
import { useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { session } from "../data/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Credits, type Licence } from "../parts/credits.tsx";
import { Same } from "../parts/same.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { Text } from "../parts/text.tsx";
import { Top } from "../parts/top.tsx";
import { countStates, stateTexts, tileColours, tileId, tileStates, type CoverageRow } from "./coverage.ts"; // prettier-ignore
import { MapView } from "./map-view.tsx";
import type { PointRow } from "./points.ts";
import { TileTable } from "./tile-table.tsx";
import { TilePanel } from "./tile-panel.tsx";

const dayMs = 86_400_000;
const noRows: readonly CoverageRow[] = [];
const noPoints: readonly PointRow[] = [];

export function MapScreen() {
  const campaigns = useResource("campaigns", (signal) => api.get("/api/campaigns", { signal }), {
    topics: ["campaigns"],
  });
  const { query } = place.value;
  const campaign = query.get("campaign") ?? campaigns.data?.rows[0]?.campaign;
  return (
    <>
      <Top title="Map">
        {campaign !== undefined && (
          <label class="row">
            <span class="dim">Campaign</span>
            <select
              value={campaign}
              onChange={(event) => navigate(withQuery({ campaign: event.currentTarget.value, phrase: undefined, tile: undefined }))} // prettier-ignore
            >
              {(campaigns.data?.rows ?? []).map((row) => (
                <option key={row.campaign}>{row.campaign}</option>
              ))}
            </select>
          </label>
        )}
      </Top>
      <Loaded from={campaigns}>
        {({ rows }) =>
          campaign === undefined ? (
            <section class="card">
              <Notice icon="map" title="Nothing to show on a map yet">
                <p>
                  Make a campaign first: <code>forager campaign new NAME</code>
                </p>
              </Notice>
            </section>
          ) : (
            <Coverage
              key={campaign}
              campaign={campaign}
              phrases={rows.find((row) => row.campaign === campaign)?.phrases ?? []}
            />
          )
        }
      </Loaded>
    </>
  );
}

function Coverage({
  campaign,
  phrases,
}: {
  readonly campaign: string;
  readonly phrases: readonly string[];
}) {
  // prettier-ignore
  const { query } = place.value;
  const phrase = query.get("phrase") ?? undefined;
  const coverage = useResource(
    JSON.stringify([campaign, phrase]),
    (signal) =>
      api.get("/api/campaigns/{campaign}/coverage", {
        params: { campaign },
        query: phrase === undefined ? {} : { phrase },
        signal,
      }),
    { topics: ["campaigns"] },
  );
  const points = useResource("points", (signal) => api.get("/api/companies/points", { signal }));
  const rows = (coverage.data?.rows as readonly CoverageRow[] | undefined) ?? noRows;
  const today = Math.floor(serverNowMs() / dayMs);
  const firstDay = useMemo(() => rows.reduce((min, [, , , , at]) => Math.min(min, at ?? min), today), [rows]); // prettier-ignore
  const asked = Number(query.get("day"));
  const day = asked >= firstDay && asked < today ? asked : today;
  const areCompaniesShown = query.get("companies") !== "no";
  const chosen = parseTile(query.get("tile"));
  const counts = useMemo(() => countStates(rows, day), [rows, day]);
  const shownPoints = areCompaniesShown ? ((points.data?.rows as readonly PointRow[] | undefined) ?? noPoints) : noPoints; // prettier-ignore
  const chosenKey = query.get("tile");
  const chosenTile = useMemo(() => chosen, [chosenKey]);
  return (
    <>
      <div class="row" role="group" aria-label="Phrase">
        <a
          class={`pill ${phrase === undefined ? "" : "quiet"}`}
          href={withQuery({ phrase: undefined })}
          aria-current={phrase === undefined ? "true" : undefined}
        >
          all phrases
        </a>
        {phrases.slice(0, 20).map((one) => (
          <a
            key={one}
            class={`pill ${phrase === one ? "" : "quiet"}`}
            href={withQuery({ phrase: one })}
            aria-current={phrase === one ? "true" : undefined}
          >
            <Text value={one} max={40} />
          </a>
        ))}
        <span class="sp" />
        <label class="row">
          <input
            type="checkbox"
            checked={areCompaniesShown}
            onChange={() =>
              navigate(withQuery({ companies: areCompaniesShown ? "no" : undefined }), {
                isReplaced: true,
              })
            }
          />
          companies
          {points.data && (
            <small class="dim">
              {formatCount(points.data.rows.length)}
              {points.data.isComplete ? "" : " of more"}
            </small>
          )}
        </label>
      </div>
      <div class="map-grid">
        <section class="card" aria-label="Coverage map">
          <MapView
            rows={rows}
            points={shownPoints}
            day={day}
            tiles={session.value?.mapTiles ?? undefined}
            chosen={chosenTile}
            onChoose={({ lat10, lon10 }) => navigate(withQuery({ tile: tileId(lat10, lon10) }))}
          />
          <Slider first={firstDay} last={today} day={day} />
          <Legend counts={counts} />
          <Credits
            of={licencesOf(coverage.data?.licences, areCompaniesShown ? points.data?.licences : [])}
          />
          {coverage.failure && <Loaded from={coverage}>{() => null}</Loaded>}
        </section>
        <TilePanel
          campaign={campaign}
          tile={chosenTile}
          row={
            chosenTile &&
            rows.find(([lat10, lon10]) => lat10 === chosenTile.lat10 && lon10 === chosenTile.lon10)
          }
          points={(points.data?.rows as readonly PointRow[] | undefined) ?? noPoints}
          day={day}
        />
      </div>
      <TileTable rows={rows} day={day} />
      <Same
        command={`forager campaign coverage ${campaign}`}
        api={`GET ${apiUrl("/api/campaigns/{campaign}/coverage", { campaign }, { phrase })}`}
      />
    </>
  );
}

/** Each licence once. */
const licencesOf = (...lists: readonly (readonly Licence[] | undefined)[]): readonly Licence[] => [
  ...new Map(lists.flatMap((list) => list ?? []).map((one) => [one.text, one])).values(),
];

const playMs = 120;

/** Chooses a day; the map shows the tiles as they were at its end. */
function Slider({
  first,
  last,
  day,
}: {
  readonly first: number;
  readonly last: number;
  readonly day: number;
}) {
  // prettier-ignore
  const isPlaying = useSignal(false);
  const go = (next: number) =>
    navigate(withQuery({ day: next >= last ? undefined : String(next) }), { isReplaced: true });
  useEffect(() => {
    if (!isPlaying.value) return undefined;
    const timer = setTimeout(() => {
      if (day >= last) isPlaying.value = false;
      else go(day + 1);
    }, playMs);
    return () => clearTimeout(timer);
  }, [isPlaying.value, day]);
  if (last <= first) return null;
  return (
    <div class="slider">
      <button
        class="btn small"
        onClick={() => {
          if (!isPlaying.value && day >= last) go(first);
          isPlaying.value = !isPlaying.value;
        }}
      >
        <Icon name={isPlaying.value ? "pause" : "play"} /> {isPlaying.value ? "Pause" : "Play"}
      </button>
      <input
        type="range"
        aria-label="Day"
        aria-valuetext={formatDay(day * dayMs)}
        min={first}
        max={last}
        value={day}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <span class="nowrap">{day >= last ? "today" : formatDay(day * dayMs)}</span>
    </div>
  );
}

function Legend({
  counts,
}: {
  readonly counts: Readonly<Record<(typeof tileStates)[number], number>>;
}) {
  // prettier-ignore
  return (
    <ul class="legend" aria-label="Tiles by state">
      {tileStates.map((state) => (
        <li key={state} title={stateTexts[state]}>
          <i
            style={
              state === "never"
                ? { border: "1px dashed var(--dim)" }
                : { background: `var(${tileColours[state]})` }
            }
          />
          <a href={withQuery({ tiles: state })}>
            {state === "never" ? "not yet" : state} <b>{formatCount(counts[state])}</b>
          </a>
        </li>
      ))}
    </ul>
  );
}

function parseTile(text: string | null) {
  const [, latitude, longitude] = /^(-?\d+(?:\.\d)?)_(-?\d+(?:\.\d)?)$/.exec(text ?? "") ?? [];
  if (latitude === undefined || longitude === undefined) return undefined;
  return { lat10: Math.round(Number(latitude) * 10), lon10: Math.round(Number(longitude) * 10) };
}
