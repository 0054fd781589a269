import { expect, test } from "vitest";
import { plainHttpOf } from "./plain-http.ts";

test("http is tried if no connection over https comes about, and only then", () => {
  const tried = ["tls", "refused", "reset", "timeout"];
  for (const reason of tried) {
    expect(plainHttpOf("https://acme.example/about", reason)).toBe("http://acme.example/about");
  }
  for (const reason of ["dns", "private_address", "blocked", "status", undefined]) {
    expect(plainHttpOf("https://acme.example/", reason)).toBeUndefined();
  }
  expect(plainHttpOf("http://acme.example/", "refused")).toBeUndefined();
});
