import { expect, test } from "vitest";
import type { CommandEntry, OptionSpec } from "../frame/command.ts";
import { describeLine } from "./command-line.ts";

const entry = (name: string, options: readonly OptionSpec[] = []): CommandEntry => ({
  name,
  summary: `summary of ${name}`,
  load: async () => ({ needs: "nothing", examples: [], options, run: async () => {} }),
});

test("every noun and every command is a place, with what may follow it", async () => {
  const { places } = await describeLine({
    nouns: { queue: "tasks" },
    commands: [
      entry("queue add", [{ flag: "--order", value: "o", summary: "", choices: ["old", "new"] }]),
      entry("queue list"),
      entry("doctor"),
    ],
  });
  const following = places.map(({ path, words }) => [path, words[0]?.map(({ text }) => text)]);
  expect(Object.fromEntries(following)).toEqual({
    "": ["queue", "doctor"],
    queue: ["add", "list"],
    "queue add": undefined,
    "queue list": undefined,
    doctor: undefined,
  });
  const add = places.find(({ path }) => path === "queue add");
  expect(add?.values).toEqual([{ flag: "--order", offer: ["old", "new"] }]);
});

test("a flag that takes a value in one command and none in another is refused", async () => {
  const commands = [
    entry("a", [{ flag: "--limit", value: "count", summary: "" }]),
    entry("b", [{ flag: "--limit", summary: "" }]),
  ];
  await expect(describeLine({ nouns: {}, commands })).rejects.toThrow("--limit is a switch here");
});
