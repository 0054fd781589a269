import { expect, test } from "vitest";
import { parseAssignment } from "./assignments.ts";

test.each([
  ["name=Acme = Sons", { field: "name", value: "Acme = Sons", isJson: false }],
  ["phone:=[1, 2]", { field: "phone", value: [1, 2], isJson: true }],
  ["note=a\nb", { field: "note", value: "a\nb", isJson: false }],
  ["x/a:b=c", { field: "x/a:b", value: "c", isJson: false }],
])("%j is understood", (text, assignment) => {
  expect(parseAssignment(text)).toEqual(assignment);
});

test.each([
  ["name", "neither FIELD=TEXT nor FIELD:=JSON"],
  ["=Acme", "neither FIELD=TEXT nor FIELD:=JSON"],
  ["name:=Acme", "is not JSON; for text write name=TEXT"],
])("%j is refused", (text, words) => {
  expect(() => parseAssignment(text)).toThrow(words);
});
