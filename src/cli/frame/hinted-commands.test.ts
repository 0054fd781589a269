import { expect, test } from "vitest";
import type { CommandEntry } from "./command.ts";
import { createHintedCommands } from "./hinted-commands.ts";

const commands = ["queue resume", "queue list", "work"].map((name): CommandEntry => ({
  name,
  summary: "",
  load: () => Promise.reject(new Error()),
}));

test("a hinted command carries the flags that decide what it works on", () => {
  const hint = createHintedCommands({ commands }, { data: "my data", queue: "sqlite:q.db" });
  const flags = "--data 'my data' --queue sqlite:q.db";
  expect(hint("continue with: forager queue resume leads")).toBe(
    `continue with: forager ${flags} queue resume leads`,
  );
  expect(hint("run `forager work`, then `forager queue list`")).toBe(
    `run \`forager ${flags} work\`, then \`forager ${flags} queue list\``,
  );
  for (const same of [
    "`forager queue list --data other`",
    "run `forager work` on pi-2",
    "forager works well",
    "/usr/bin/forager work",
    "forager is a program",
  ]) {
    expect(hint(same)).toBe(same);
  }
  const plain = "forager work";
  expect(createHintedCommands({ commands }, {})(plain)).toBe(plain);
});
