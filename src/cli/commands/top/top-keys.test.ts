import { describe, expect, test } from "vitest";
import { keysOf } from "./keys.ts";
import { firstState, press, type TopState } from "./top-state.ts";

const extent = { rows: 3, columns: 2 };
const after = (keys: readonly string[], from: TopState = firstState) =>
  keys.reduce((state, key) => press(state, key, extent), from);

test.each([
  ["a1/", ["a", "1", "/"]],
  ["\u001b[A\u001bOB\r\t\u001b[Z", ["up", "down", "enter", "tab", "back-tab"]],
  ["\u001b", ["esc"]],
  ["\u0003", ["ctrl-c"]],
  ["ü\u007f", ["ü", "backspace"]],
  ["\u001b[<0;10;10M\u001b[200~x", ["x"]], // mouse events and paste marks are ignored
])("keys of %j", (text, keys) => {
  expect(keysOf(text)).toEqual(keys);
});

describe("after keys", () => {
  test("a filter is typed, kept over views, and cleared", () => {
    const typed = after(["4", "/", "q", "a", "backspace", "enter"]);
    expect(typed).toMatchObject({ view: "gates", filter: "q", isTyping: false, isEnded: false });
    expect(after(["tab"], typed)).toMatchObject({ view: "log", filter: "q" });
    expect(after(["esc"], typed)).toMatchObject({ filter: "" });
  });

  test("rows are chosen within what there is, and shown whole", () => {
    expect(after(["2", "down", "down", "down", "j"])).toMatchObject({ selected: 2 });
    expect(after(["2", "up"])).toMatchObject({ selected: 0 });
    expect(after(["2", "down", "enter"])).toMatchObject({ shown: "detail", selected: 1 });
    expect(after(["2", "enter", "esc"])).toMatchObject({ shown: "list" });
    expect(press(firstState, "enter", { rows: 0, columns: 0 })).toMatchObject({ shown: "list" });
  });

  test("columns are sorted by, one after the other, and then none", () => {
    expect(after(["2", ">"])).toMatchObject({ sortColumn: 0 });
    expect(after(["2", ">", ">"])).toMatchObject({ sortColumn: 1 });
    expect(after(["2", ">", ">", ">"]).sortColumn).toBeUndefined();
    expect(after(["2", "<", "r"])).toMatchObject({ sortColumn: 1, isReversed: true });
    expect(after(["2", ">", "3"]).sortColumn).toBeUndefined();
  });

  test("pause, faults only, log, help and end", () => {
    expect(after([" "])).toMatchObject({ isPaused: true });
    expect(after([" ", " "])).toMatchObject({ isPaused: false });
    expect(after(["f", "l"])).toMatchObject({ hasOnlyFaults: true, view: "log" });
    expect(after(["?"])).toMatchObject({ shown: "help" });
    expect(after(["?", "x"])).toMatchObject({ shown: "list" });
    expect(after(["back-tab"])).toMatchObject({ view: "log" });
    expect(after(["q"]).isEnded).toBe(true);
    expect(after(["/", "ctrl-c"]).isEnded).toBe(true);
  });
});
