import { expect, test } from "vitest";
import { indentJson } from "./json-text.ts";
import { parseTaskQuery, taskCommand, taskQueryText } from "./task-query.ts";

test("names with a colon are filters, the rest is text of the payload", () => {
  const text = `kind:enrich gate:x reason:domain_delay state:failed,pending error:"answered 429" contact page`;
  expect(parseTaskQuery(text)).toEqual({
    filter: {
      kind: "enrich",
      gate: "x",
      waits: "domain_delay",
      state: ["failed", "pending"],
      error: "answered 429",
      text: "contact page",
    },
    problems: [],
  });
});

test("an unfinished, unknown or wrong part narrows nothing that was not meant", () => {
  expect(parseTaskQuery("kind: state:").filter).toEqual({});
  expect(parseTaskQuery("https://a.example/ x:y").filter).toEqual({ text: "https://a.example/ x:y" }); // prettier-ignore
  expect(parseTaskQuery("state:fialed reason:tea")).toMatchObject({ filter: {}, problems: [{}, {}].map(() => expect.any(String)) }); // prettier-ignore
  expect(parseTaskQuery('gate:""').filter).toEqual({ gate: "" });
});

test("a filter as text means the same filter again, and the same command", () => {
  const filter = { state: ["failed" as const], job: "a b", gate: "", error: "it's 429", text: "x" };
  expect(parseTaskQuery(taskQueryText(filter)).filter).toEqual(filter);
  expect(taskCommand(filter)).toBe(
    `forager queue list --state failed --job 'a b' --gate '' --error 'it'\\''s 429' --text x`,
  );
});

test("JSON is indented without a change of its numbers and texts", () => {
  const json = '{"a":12345678901234567890,"b":["x{,}\\"y",{}],"c":[]}';
  const shown = indentJson(json);
  expect(shown).toContain('"a": 12345678901234567890,');
  expect(shown.split("\n")).toHaveLength(8);
  expect(JSON.parse(shown)).toEqual(JSON.parse(json));
});
