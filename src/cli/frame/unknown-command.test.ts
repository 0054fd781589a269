import { expect, test } from "vitest";
import { registry } from "../registry.ts";
import { unknownCommand } from "./unknown-command.ts";

test.each([
  ["queue lst", "(did you mean `forager queue list`?)"],
  ["company rm acme", "(did you mean `forager company delete`?)"],
  ["campaign ls", "(did you mean `forager campaign list`?)"],
  ["campaign create x", "(did you mean `forager campaign new`?)"],
  ["company update acme", "see `forager company --help`"],
  ["--json company find x", "(did you mean `forager company search`?)"],
  ["version", "(did you mean `forager --version`?)"],
  ["companies", "(did you mean `forager company list`?)"],
  ["ls", "(did you mean `forager company list` or `forager campaign list` or `forager queue list`?)"], // prettier-ignore
  ["rm acme", "(did you mean `forager company delete` or `forager campaign remove` or"],
  ["delete acme", "(did you mean `forager company delete` or `forager campaign remove` or"],
  ["list", "(did you mean `forager company list` or"],
  ["show acme", "(did you mean `forager company show` or"],
  ["queu add", "(did you mean `forager queue`?)"],
])("%s: %s", (line, words) => {
  expect(unknownCommand(line.split(" "), registry)).toContain(words);
});

test("a word that is near nothing gets no hint", () => {
  const text = unknownCommand(["xyzzy"], registry);
  expect(text).toBe("there is no command 'xyzzy' - see `forager --help`");
  expect(unknownCommand(["queue", "constructor"], registry)).not.toContain("did you mean");
});

test("every command that a hint names exists", () => {
  const names = new Set(registry.commands.map(({ name }) => name));
  const hinted = ["start", "run", "companies", "people", "campaigns", "nodes", "jobs", "tasks"];
  for (const word of [...hinted, "settings", "worker", "rm", "delete", "ls", "add", "edit"]) {
    const [, meant = ""] = /\(did you mean (.*)\?\)/.exec(unknownCommand([word], registry)) ?? [];
    const found = [...meant.matchAll(/`forager ([^`]+)`/g)].map(([, name]) => name);
    expect(found.length, word).toBeGreaterThan(0);
    for (const name of found) expect(names, word).toContain(name);
  }
});
