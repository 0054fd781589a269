import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { formatCount, formatDay } from "../data/format.ts";
import { place, withQuery } from "../data/router.ts";
import { stateOnDay, stateTexts, tileId, tileStates, type CoverageRow } from "./coverage.ts";

const dayMs = 86_400_000;
const pageSize = 50;

/** The same content as the map, for screen readers and for everybody who prefers a list. */
export function TileTable({
  rows,
  day,
}: {
  readonly rows: readonly CoverageRow[];
  readonly day: number;
}) {
  // prettier-ignore
  const shown = useSignal(pageSize);
  const asked = place.value.query.get("tiles")?.split(",") ?? [];
  const states = tileStates.filter((one) => asked.includes(one));
  const isFiltered = states.length > 0;
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // Somebody asked for these tiles: the table is below the map.
    if (isFiltered) element.current?.scrollIntoView();
  }, [asked.join()]);
  const matching = isFiltered ? rows.filter((row) => states.includes(stateOnDay(row, day))) : rows;
  const sorted = [...matching].sort((a, b) => b[3] - a[3]);
  return (
    <details class="card" ref={element} open={isFiltered}>
      <summary>
        <b>
          {isFiltered
            ? `Tiles: ${states.map((one) => stateTexts[one]).join("; ")}`
            : "All tiles as a table"}
        </b>{" "}
        <span class="dim">({formatCount(sorted.length)}, most places first)</span>
      </summary>
      {isFiltered && (
        <p>
          <a class="accent" href={withQuery({ tiles: undefined })}>
            Show all tiles
          </a>
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th>Tile</th>
            <th>State</th>
            <th class="n">Places</th>
            <th class="n">Searched</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown.value).map((row) => (
            <tr key={tileId(row[0], row[1])}>
              <td>
                <a href={withQuery({ tile: tileId(row[0], row[1]) })}>{tileId(row[0], row[1])}</a>
              </td>
              <td>{stateTexts[stateOnDay(row, day)]}</td>
              <td class="n">{formatCount(row[3])}</td>
              <td class="n nowrap">{row[4] === null ? "" : formatDay(row[4] * dayMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown.value && (
        <button class="btn" onClick={() => (shown.value += 500)}>
          Show more
        </button>
      )}
    </details>
  );
}
