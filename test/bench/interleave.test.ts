import { describe, expect, test } from "vitest";
import { interleave } from "../../bench/frame/interleave.ts";

describe("interleave", () => {
  test("sides take turns and never run at the same time", async () => {
    const events: string[] = [];
    const side = (name: string) => async (repetition: number) => {
      events.push(`${name}${repetition} starts`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name}${repetition} ends`);
      return { value: 1 };
    };
    await interleave({ sides: { a: side("a"), b: side("b") }, repetitions: 3 });
    const turns = ["a0", "b0", "a1", "b1", "a2", "b2"];
    expect(events).toEqual(turns.flatMap((turn) => [`${turn} starts`, `${turn} ends`]));
  });

  test("each value of each side comes back as its median and range", async () => {
    const ours = [30, 10, 20];
    const result = await interleave({
      sides: {
        ours: async (repetition) => ({ perS: ours[repetition]!, bytes: 5 }),
        peer: async () => ({ perS: 7 }),
      },
      repetitions: 3,
    });
    expect(result.ours["perS"]).toEqual({ median: 20, min: 10, max: 30, samples: [30, 10, 20] });
    expect(result.ours["bytes"]!.median).toBe(5);
    expect(result.peer["perS"]!.median).toBe(7);
  });

  test("fewer than 3 repetitions are refused", async () => {
    const sides = { a: async () => ({ value: 1 }) };
    await expect(interleave({ sides, repetitions: 2 })).rejects.toThrow("at least 3");
  });

  test("a run that measures other names, or no number, is an error that names the side", async () => {
    const changing = { ours: async (n: number) => (n < 2 ? { a: 1 } : { b: 1 }) };
    await expect(interleave({ sides: changing, repetitions: 3 })).rejects.toThrow('side "ours"');
    const broken = { ours: async () => ({ a: Number.NaN }) };
    await expect(interleave({ sides: broken, repetitions: 3 })).rejects.toThrow("finite");
  });
});
