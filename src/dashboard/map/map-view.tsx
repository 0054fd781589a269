import { map as createMap, tileLayer, type Map as LeafletMap } from "leaflet";
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../data/theme.ts";
import { openBaseMap, type BaseMap } from "./base-map.ts";
import { CanvasLayer } from "./canvas-layer.ts";
import { tileAt, tileColours, tileStates, type CoverageRow } from "./coverage.ts";
import { clustersOf, paintClusters, type PointRow } from "./points.ts";
import { boundsOf, pictureOf, type TilePalette, type TilePicture } from "./tile-painter.ts";

interface MapViewProps {
  readonly rows: readonly CoverageRow[];
  readonly points: readonly PointRow[];
  readonly day: number;
  /** Pictures of another server instead of our own base map. */
  readonly tiles: { readonly url: string; readonly credit: string } | undefined;
  /** The selected tile. */
  readonly chosen: { readonly lat10: number; readonly lon10: number } | undefined;
  readonly onChoose: (tile: { readonly lat10: number; readonly lon10: number }) => void;
}

/** The map itself. A table next to it has the same content for people who cannot see it. */
export function MapView({ rows, points, day, tiles, chosen, onChoose }: MapViewProps) {
  const element = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const credit = useSignal("");
  const parts = useRef<{ map: LeafletMap; redraw: (what: "tiles" | "all") => void } | undefined>(undefined); // prettier-ignore
  const props = { rows, points, day, tiles, chosen, onChoose };
  const shown = useRef<{ picture: TilePicture; props: MapViewProps }>({ picture: { paint() {} }, props }); // prettier-ignore
  const choose = useRef(onChoose);
  choose.current = onChoose;

  useEffect(() => {
    const map = createMap(element.current!, {
      zoomControl: false,
      attributionControl: false,
      zoomSnap: 0.5,
      wheelPxPerZoomLevel: 90,
      minZoom: 2,
      maxZoom: 14,
      worldCopyJump: true,
      center: [30, -20],
      zoom: 2,
    });
    let base: BaseMap | undefined;
    const read = colourReader(frame.current!);
    const layers = {
      land: new CanvasLayer((painter) => base?.paintLand(painter, baseColours(read))),
      tiles: new CanvasLayer((painter) => shown.current.picture.paint(painter)),
      lines: new CanvasLayer((painter) => {
        base?.paintLines(painter, baseColours(read));
        const { props: now } = shown.current;
        const colours = { accent: read("--accent"), ink: read("--ink"), panel: read("--panel") };
        paintClusters(painter, clustersOf(painter, now.points), colours);
        if (!now.chosen) return;
        const { lat10, lon10 } = now.chosen;
        const { context, x, y } = painter;
        context.strokeStyle = colours.ink;
        context.lineWidth = 2;
        const [left, top] = [x(lon10 / 10), y((lat10 + 1) / 10)];
        context.strokeRect(left, top, x((lon10 + 1) / 10) - left, y(lat10 / 10) - top);
      }),
    };
    const redraw = (what: "tiles" | "all") => {
      if (what === "all") layers.land.redraw();
      layers.tiles.redraw();
      layers.lines.redraw();
    };
    for (const layer of Object.values(layers)) layer.addTo(map);
    map.on("click", ({ latlng }) => choose.current(tileAt(latlng.lat, latlng.lng)));
    parts.current = { map, redraw };
    const showOwn = () =>
      openBaseMap(() => redraw("all")).then(
        (opened) => {
          base = opened;
          credit.value = opened.credit;
          redraw("all");
        },
        () => (credit.value = "the base map could not be loaded"),
      );
    if (tiles === undefined) void showOwn();
    else showTiles(map, tiles, credit, showOwn);
    const sizes = new ResizeObserver(() => map.invalidateSize());
    sizes.observe(element.current!);
    const schemes = matchMedia("(prefers-color-scheme: dark)");
    const onScheme = () => repaint("all");
    schemes.addEventListener("change", onScheme);
    return () => {
      sizes.disconnect();
      schemes.removeEventListener("change", onScheme);
      map.remove();
      parts.current = undefined;
    };
  }, [tiles?.url]);

  const repaint = (what: "tiles" | "all") => {
    if (!frame.current) return;
    const now = shown.current.props;
    shown.current = { picture: pictureOf(now.rows, now.day, paletteOf(frame.current)), props: now };
    parts.current?.redraw(what);
  };
  useEffect(() => {
    shown.current = { picture: pictureOf(rows, day, paletteOf(frame.current!)), props };
    parts.current?.redraw("tiles");
  }, [rows, points, day, chosen]);
  useEffect(() => repaint("all"), [theme.value]);
  // Zooms to the first rows, and to those of another campaign.
  const box = boundsOf(rows);
  const boxKey = box ? `${box.south} ${box.north} ${box.west} ${box.east}` : "";
  useEffect(() => {
    if (box && parts.current) fit(parts.current.map, box);
  }, [boxKey, tiles?.url]);

  const zoom = (by: number) => parts.current?.map.setZoom(parts.current.map.getZoom() + by);
  return (
    <div class="map-frame" ref={frame}>
      <div
        ref={element}
        role="application"
        aria-label="Map of the searched tiles. Arrow keys move it, plus and minus zoom. The table below has the same content."
      />
      <div class="map-tools">
        <button class="btn" aria-label="Zoom in" onClick={() => zoom(1)}>
          +
        </button>
        <button class="btn" aria-label="Zoom out" onClick={() => zoom(-1)}>
          −
        </button>
        <button
          class="btn"
          aria-label="Show all tiles"
          onClick={() => box && parts.current && fit(parts.current.map, box)}
        >
          ⤢
        </button>
      </div>
      <div class="map-credit">{credit.value}</div>
    </div>
  );
}

/** If the other server does not answer, our own map is shown. */
function showTiles(
  map: LeafletMap,
  { url, credit }: NonNullable<MapViewProps["tiles"]>,
  shownCredit: Signal<string>,
  showOwn: () => Promise<unknown>,
): void {
  const layer = tileLayer(url, { maxZoom: 14 });
  let isAnswered = false;
  layer.once("tileload", () => (isAnswered = true));
  layer.once("tileerror", () => {
    if (isAnswered) return;
    layer.remove();
    void showOwn();
  });
  layer.addTo(map);
  shownCredit.value = credit;
}

function fit(map: LeafletMap, box: NonNullable<ReturnType<typeof boundsOf>>): void {
  map.fitBounds(
    [
      [box.south / 10, box.west / 10],
      [(box.north + 1) / 10, (box.east + 1) / 10],
    ],
    { animate: false, padding: [16, 16], maxZoom: 11 },
  );
}

type ReadColour = (name: string) => string;

/** A canvas cannot use custom properties, so the colour is read from an element. */
function colourReader(frame: HTMLElement): ReadColour {
  return (name) => {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    frame.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

function paletteOf(frame: HTMLElement): TilePalette {
  const read = colourReader(frame);
  return Object.fromEntries(tileStates.map((state) => [state, read(tileColours[state])])) as TilePalette; // prettier-ignore
}

const baseColours = (read: ReadColour) => ({
  land: read("--land"),
  line: read("--line"),
  ink: read("--ink"),
  halo: read("--panel"),
});
