import { listLimitMax, type Bucket } from "../bucket/index.ts";
import { lastStampAt } from "./clock/stamp.ts";
import { dotOf, type Datagram } from "./datagram/datagram.ts";
import { isErased, isMarker } from "./fold/erased.ts";
import { foldInto, isScrubbed, scrub, type PartState } from "./fold/part-state.ts";
import { archivePrefix, parseSegmentKey, segmentsPrefix } from "./tiers/keys.ts";
import { readSegment } from "./tiers/segment.ts";
import { viewTarget, type TargetView } from "./view.ts";

/**
 * A target as it was at a moment: the fold of what had been written by then, without what was erased
 * since.
 */
export function viewAt(target: string, datagrams: Iterable<Datagram>, atMs: number): TargetView {
  const until = lastStampAt(atMs);
  const part: PartState = new Map();
  const seen = new Set<string>();
  for (const datagram of hideErased(datagrams)) {
    if (datagram.target !== target || datagram.stamp > until || seen.has(dotOf(datagram))) continue;
    seen.add(dotOf(datagram));
    foldInto(part, datagram);
  }
  return viewTarget(target, part.get(target) ?? new Map());
}

/** True for what stays of erased and forgotten content in a log. */
export const isWithoutContent = (datagram: Datagram): boolean =>
  isScrubbed(datagram) || isMarker(datagram.field);

/** Scrubs what was erased, for logs that were not scrubbed yet. */
export function hideErased(datagrams: Iterable<Datagram>): readonly Datagram[] {
  const all = [...datagrams];
  const byTarget = new Map<string, Map<string, string>>();
  for (const { target, field, stamp } of all) {
    if (!isMarker(field)) continue;
    const markers = byTarget.get(target) ?? new Map<string, string>();
    if (stamp > (markers.get(field) ?? "")) markers.set(field, stamp);
    byTarget.set(target, markers);
  }
  return all.map((one) => {
    const markers = byTarget.get(one.target);
    return markers && isErased(markers, one) ? scrub(one) : one;
  });
}

/**
 * Everything that was published and not forgotten: the archive, then the segments that are not in
 * it yet.
 */
export async function* readArchive(bucket: Bucket): AsyncGenerator<Datagram> {
  for (const prefix of [archivePrefix, segmentsPrefix]) {
    let startAfter = "";
    for (;;) {
      const page = await bucket.list(prefix, { startAfter });
      for (const { key: name } of page) {
        const place = parseSegmentKey(`${segmentsPrefix}${name.slice(prefix.length)}`);
        const got = place ? await bucket.get(name) : undefined;
        if (!place || got?.status !== "found") continue;
        const { session: key, first } = place;
        yield* readSegment(got.body, { key, first, name }).datagrams;
      }
      if (page.length < listLimitMax) break;
      startAfter = page.at(-1)!.key;
    }
  }
}
