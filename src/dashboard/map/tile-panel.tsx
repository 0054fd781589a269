import { formatCount, formatDay, plural } from "../data/format.ts";
import { withQuery } from "../data/router.ts";
import { Icon } from "../parts/icon.tsx";
import { Text } from "../parts/text.tsx";
import { stateOnDay, stateTexts, tileId, type CoverageRow } from "./coverage.ts";
import type { PointRow } from "./points.ts";

interface TilePanelProps {
  readonly campaign: string;
  readonly tile: { readonly lat10: number; readonly lon10: number } | undefined;
  /** Undefined if the campaign does not search it. */
  readonly row: CoverageRow | undefined;
  readonly points: readonly PointRow[];
  readonly day: number;
}

const dayMs = 86_400_000;
const shownMax = 100;

/** Details of the selected tile, and the companies in it. */
export function TilePanel({ tile, row, points, day }: TilePanelProps) {
  if (!tile)
    return (
      <section class="card" aria-label="Tile">
        <header>
          <h2>Tile</h2>
        </header>
        <p class="dim">Choose a tile on the map or in the table to see what was found there.</p>
      </section>
    );
  const { lat10, lon10 } = tile;
  const inside = points.filter(
    ([, , latitude, longitude]) =>
      latitude >= lat10 / 10 && latitude < (lat10 + 1) / 10 && longitude >= lon10 / 10 && longitude < (lon10 + 1) / 10, // prettier-ignore
  );
  return (
    <section class="card" aria-label="Tile">
      <header>
        <h2>Tile {tileId(lat10, lon10)}</h2>
        <span class="sp" />
        <a class="btn bare" href={withQuery({ tile: undefined })} aria-label="Close the tile">
          <Icon name="x" />
        </a>
      </header>
      {row ? (
        <dl class="pairs">
          <dt>State</dt>
          <dd>{stateTexts[stateOnDay(row, day)]}</dd>
          <dt>Places found</dt>
          <dd>{formatCount(row[3])}</dd>
          {row[4] !== null && (
            <>
              <dt>Searched</dt>
              <dd>{formatDay(row[4] * dayMs)}</dd>
            </>
          )}
          {row[5] !== null && (
            <>
              <dt>Searched again after</dt>
              <dd>{formatDay(row[5] * dayMs)}</dd>
            </>
          )}
        </dl>
      ) : (
        <p class="dim">This campaign does not search here.</p>
      )}
      <h3>{plural(inside.length, "company", "companies")} in this tile</h3>
      <table>
        <tbody>
          {inside.slice(0, shownMax).map(([slug, name, , , hasEmail]) => (
            <tr key={slug}>
              <td>
                <a href={`/companies?open=${encodeURIComponent(slug)}`}>
                  <Text value={name || slug} max={60} />
                </a>
              </td>
              <td class="n">
                {hasEmail ? <span class="pill">email</span> : <span class="dim">–</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {inside.length > shownMax && <p class="dim">and {inside.length - shownMax} more</p>}
    </section>
  );
}
