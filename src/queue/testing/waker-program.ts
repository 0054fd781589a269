/**
 * A process that claims, finds nothing and waits. It prints "asleep" once its timer is set, then
 * what woke it and what it found. The first argument is the queue's file.
 */
import { systemClock, type Clock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { openSqliteQueueStore } from "../adapters/sqlite/sqlite-queue-store.ts";
import { createQueue } from "../create-queue.ts";
import { createWaker } from "../waker.ts";

const say = (message: unknown) => process.send?.(message);
let isAsleep = false;
const clock: Clock = {
  ...systemClock,
  setTimer(...args) {
    if (!isAsleep) say("asleep");
    isAsleep = true;
    return systemClock.setTimer(...args);
  },
};

const kinds = ["work"];
const store = openSqliteQueueStore({ file: process.argv[2] ?? "" });
const queue = createQueue({ store, clock: systemClock, random: systemRandom });
const waker = createWaker({ queue, kinds, clock });

const mark = waker.mark();
const before = await queue.claim({ worker: "child", kinds });
if (before.leases.length > 0) throw new Error("the queue was not empty");
const reason = await waker.wait(mark);
const { leases } = await queue.claim({ worker: "child", kinds });
say({ reason, keys: leases.map(({ key }) => key) });

waker[Symbol.dispose]();
await queue[Symbol.asyncDispose]();
process.disconnect();
