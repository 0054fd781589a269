/** Companies as points; points that are close on the screen become one circle with their number. */
import type { Painter } from "./canvas-layer.ts";

export type PointRow = readonly [
  slug: string,
  name: string,
  latitude: number,
  longitude: number,
  hasEmail: boolean,
];

export interface PointColours {
  readonly accent: string;
  readonly ink: string;
  readonly panel: string;
}

export interface Cluster {
  readonly x: number;
  readonly y: number;
  readonly count: number;
  readonly withEmail: number;
}

const clusterPixels = 44;

export function clustersOf(
  { x, y, width, height }: Painter,
  points: readonly PointRow[],
): readonly Cluster[] {
  const found = new Map<string, { x: number; y: number; count: number; withEmail: number }>();
  for (const [, , latitude, longitude, hasEmail] of points) {
    const [px, py] = [x(longitude), y(latitude)];
    if (px < 0 || py < 0 || px > width || py > height) continue;
    const key = `${Math.floor(px / clusterPixels)} ${Math.floor(py / clusterPixels)}`;
    const cluster = found.get(key) ?? { x: 0, y: 0, count: 0, withEmail: 0 };
    found.set(key, cluster);
    cluster.count += 1;
    cluster.x += (px - cluster.x) / cluster.count;
    cluster.y += (py - cluster.y) / cluster.count;
    if (hasEmail) cluster.withEmail += 1;
  }
  return [...found.values()];
}

/** Filled: has an e-mail address. A ring: has none yet. */
export function paintClusters(
  painter: Painter,
  clusters: readonly Cluster[],
  colours: PointColours,
): void {
  // prettier-ignore
  const { context } = painter;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { x, y, count, withEmail } of clusters) {
    const radius = count === 1 ? 4.5 : Math.min(15, 7 + 1.3 * Math.log2(count));
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = count > 1 || withEmail > 0 ? colours.accent : colours.panel;
    context.fill();
    context.lineWidth = count === 1 ? 1.5 : 2;
    context.strokeStyle = count === 1 && withEmail === 0 ? colours.accent : colours.panel;
    context.stroke();
    if (count === 1) continue;
    context.fillStyle = colours.panel;
    context.font = "600 11px system-ui, sans-serif";
    context.fillText(count > 999 ? `${Math.round(count / 1_000)}k` : String(count), x, y + 0.5);
  }
  context.textAlign = "start";
}
