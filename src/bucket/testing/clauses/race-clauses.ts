import { expect } from "vitest";
import { mayHaveHappened } from "../../bucket-error.ts";
import type { Bucket } from "../../bucket.ts";
import { bytes, textOf, type BucketClause } from "../suite-fixture.ts";

const racersCount = 32;

export function raceClauses(clause: BucketClause): void {
  clause("two openers see each other's writes at once", async ({ bucket, another }) => {
    const second = await another();
    const { etag } = await bucket.put("a", bytes("one"));
    expect(await textOf(second, "a")).toBe("one");
    expect((await second.putIfMatch("a", bytes("two"), etag)).status).toBe("written");
    expect(await bucket.putIfMatch("a", bytes("three"), etag)).toEqual({ status: "stale" });
    expect((await bucket.list("")).map(({ key }) => key)).toEqual(["a"]);
  });

  clause("lesson 30: of 32 who create at once, one does", async ({ bucket, another }) => {
    const openers = [bucket, await another()];
    for (const round of [1, 2, 3]) {
      const key = `race/create-${round}`;
      await race(openers, key, (opener, body) => opener.putIfAbsent(key, body));
    }
  });

  clause("lesson 30: of 32 who replace one content, one does", async ({ bucket, another }) => {
    const openers = [bucket, await another()];
    for (const round of [1, 2, 3]) {
      const key = `race/update-${round}`;
      const { etag } = await bucket.put(key, bytes("start"));
      await race(openers, key, (opener, body) => opener.putIfMatch(key, body, etag));
    }
  });

  clause("a counter that many raise loses no step", async ({ bucket, another }) => {
    const openers = [bucket, await another()];
    await bucket.put("counter", bytes("0 start"));
    let steps = 0;
    const raiser = async (name: number) => {
      for (let done = 0; done < 5;) {
        const opener = openers[name % 2]!;
        const got = await opener.get("counter");
        if (got.status !== "found") throw new Error("not there");
        const count = Number.parseInt(Buffer.from(got.body).toString(), 10);
        const mine = `${count + 1} ${name}-${steps++}`;
        const status = await resolved(opener, "counter", mine, () =>
          opener.putIfMatch("counter", bytes(mine), got.etag),
        );
        if (status === "won") done += 1;
      }
    };
    await Promise.all(Array.from({ length: 4 }, (_, name) => raiser(name)));
    expect(Number.parseInt(await textOf(bucket, "counter"), 10)).toBe(20);
  });

  clause("a reader never sees half a write", async ({ bucket, another }) => {
    const second = await another();
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(100_000));
    await bucket.put("a", bytes(texts[0]!));
    let isOver = false;
    const write = async () => {
      for (let turn = 0; turn < 12; turn++) await bucket.put("a", bytes(texts[turn % 4]!));
      isOver = true;
    };
    const read = async () => {
      while (!isOver) expect(texts).toContain(await textOf(second, "a"));
    };
    await Promise.all([write(), read()]);
  });
}

type Write = (opener: Bucket, body: Uint8Array) => Promise<{ readonly status: string }>;

/** All clients write different bodies at once; exactly one may win, and its body must be stored. */
async function race(openers: readonly Bucket[], key: string, write: Write): Promise<void> {
  const outcomes = await Promise.all(
    Array.from({ length: racersCount }, async (_, racer) => {
      const opener = openers[racer % openers.length]!;
      return resolved(opener, key, `racer ${racer}`, () => write(opener, bytes(`racer ${racer}`)));
    }),
  );
  const winners = outcomes.flatMap((outcome, racer) => (outcome === "won" ? [racer] : []));
  expect(winners).toHaveLength(1);
  expect(await textOf(openers[0]!, key)).toBe(`racer ${winners[0]}`);
}

/** Resolves an unknown outcome (on some servers a loser gets 500) by reading. */
async function resolved(
  bucket: Bucket,
  key: string,
  mine: string,
  write: () => Promise<{ readonly status: string }>,
): Promise<"won" | "lost"> {
  try {
    const { status } = await write();
    return status === "created" || status === "written" ? "won" : "lost";
  } catch (error) {
    if (!mayHaveHappened(error)) throw error;
    return (await textOf(bucket, key)) === mine ? "won" : "lost";
  }
}
