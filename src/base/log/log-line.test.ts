import { describe, expect, test } from "vitest";
import { AppError } from "../app-error.ts";
import { toLogFields } from "./log-fields.ts";
import { formatLogLine } from "./log-line.ts";

const time = "2026-01-01T12:30:05.000Z";
const clockTime = new Date(time).toTimeString().slice(0, 8);
const line = (fields: Record<string, unknown>) =>
  formatLogLine(JSON.stringify({ level: "warn", time, ...toLogFields(fields), msg: "lease lost" }));

describe("a log line for people", () => {
  test("has time, level, message and fields, with quotes only where needed", () => {
    expect(line({ taskId: 42, url: "https://a.example/", name: "two words", tags: ["a"] })).toBe(
      `${clockTime} warn  lease lost taskId=42 url=https://a.example/ name="two words" tags=["a"]\n`,
    );
  });

  test("shows an error with its causes in one line", () => {
    const cause = new Error("request failed", { cause: "no route" });
    const error = new AppError("unavailable", "bucket_down", "no answer", { cause });
    expect(line({ error })).toBe(
      `${clockTime} warn  lease lost ` +
        `error="unavailable bucket_down: no answer ← Error: request failed ← no route"\n`,
    );
    const many = new AggregateError([new Error("one"), new Error("two")], "both failed");
    expect(line({ many })).toContain(`many="AggregateError: both failed [Error: one; Error: two]"`);
  });

  test("takes an object that only looks like an error", () => {
    expect(line({ company: { name: "Acme", message: "hello", errors: 3 } })).toContain(
      `company="Acme: hello"`,
    );
  });

  test("lets no value, name or message reach the terminal as a command, or break the line", () => {
    const evil = "\u001b[2J\r\n\u0007\u009b1m\u007f\u202e\u2028";
    const error = new Error(evil);
    const text = formatLogLine(
      JSON.stringify({ level: "info", time, [evil]: evil, list: [evil], error, msg: evil }),
    );
    expect(text.slice(0, -1)).toMatch(/^[\x20-\x7e]*$/);
    expect(text.endsWith("\n")).toBe(true);
    expect(line({ error }).slice(0, -1)).toMatch(/^[\x20-\x7e]*$/);
  });
});
