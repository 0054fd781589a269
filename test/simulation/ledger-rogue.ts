import type { MemoryObject } from "../../src/bucket/adapters/memory/memory-bucket.ts";
import { createId } from "../../src/base/ids.ts";
import { stampOf, type Datagram } from "../../src/ledger/index.ts";
import { headKey, segmentKey } from "../../src/ledger/tiers/keys.ts";
import { cutSegment } from "../../src/ledger/tiers/segment.ts";
import { startMs, type World } from "./world.ts";

/** A node that did not look at the time before it published: what it says is ahead, and must wait. */
export function publishAhead({ objects, random, scheduler, note, tell }: World): void {
  const [node, session] = [createId(random, 13), createId(random)];
  const nowMs = startMs + scheduler.nowMs();
  const datagram: Datagram = {
    stamp: stampOf({ ms: Math.floor(nowMs + 62_000 + random.next() * 10_000), counter: 0 }),
    node,
    session,
    number: 1,
    commit: 1,
    target: "company/1",
    field: "phone",
    value: '"from the future"',
    source: "site:https://a.b",
    causality: "",
  };
  const head = {
    format: 1,
    node,
    label: "rogue",
    session,
    nonce: createId(random),
    stamp: datagram.stamp,
    sessions: [{ session, number: 1, isComplete: true }],
  };
  const put = (key: string, body: Uint8Array) => {
    const object: MemoryObject = { body, etag: createId(random), modifiedAtMs: nowMs };
    (objects as Map<string, MemoryObject>).set(key, object);
  };
  put(segmentKey(`${node}/${session}`, 1), cutSegment([datagram]).body);
  put(headKey(node), Buffer.from(JSON.stringify(head)));
  note("ahead");
  tell(`rogue publishes ${datagram.stamp}`);
}
