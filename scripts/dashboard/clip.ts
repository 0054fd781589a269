/** Points as [longitude, latitude]. */
export type Line = readonly (readonly [number, number])[];

export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The part of a closed ring that is inside a box (Sutherland and Hodgman). Its edges along the box are not coast. */
export function clipRing(ring: Line, box: Box): Line {
  let points = ring;
  for (const edge of edgesOf(box)) {
    const kept: [number, number][] = [];
    for (const [index, point] of points.entries()) {
      const previous = points[(index + points.length - 1) % points.length]!;
      const isInside = edge.distance(point) >= 0;
      if (isInside !== edge.distance(previous) >= 0) kept.push(crossing(previous, point, edge));
      if (isInside) kept.push([point[0], point[1]]);
    }
    points = kept;
    if (points.length === 0) break;
  }
  return points;
}

/** The parts of a line that are inside a box. */
export function clipLine(line: Line, box: Box): readonly Line[] {
  let parts: readonly Line[] = [line];
  for (const edge of edgesOf(box)) parts = parts.flatMap((part) => cutAt(part, edge));
  return parts;
}

interface Edge {
  /** Positive inside. */
  distance(point: readonly [number, number]): number;
}

function edgesOf({ west, south, east, north }: Box): readonly Edge[] {
  return [
    { distance: ([x]) => x - west },
    { distance: ([x]) => east - x },
    { distance: ([, y]) => y - south },
    { distance: ([, y]) => north - y },
  ];
}

function cutAt(line: Line, edge: Edge): readonly Line[] {
  const parts: [number, number][][] = [];
  let current: [number, number][] | undefined;
  for (const [index, point] of line.entries()) {
    const isInside = edge.distance(point) >= 0;
    const previous = line[index - 1];
    if (previous && isInside !== edge.distance(previous) >= 0) {
      const cut = crossing(previous, point, edge);
      if (isInside) parts.push((current = [cut]));
      else current?.push(cut);
    } else if (!previous && isInside) parts.push((current = []));
    if (isInside) current?.push([point[0], point[1]]);
  }
  return parts.filter((part) => part.length > 1);
}

function crossing(
  a: readonly [number, number],
  b: readonly [number, number],
  edge: Edge,
): [number, number] {
  const share = edge.distance(a) / (edge.distance(a) - edge.distance(b));
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
}
