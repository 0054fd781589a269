// needs: promtool
// inputs: deploy/monitoring/** docs/metrics.md
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { repositoryRoot } from "./support/repository.ts";
import { needs } from "./support/services.ts";

const folder = join(repositoryRoot, "deploy/monitoring");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]; // prettier-ignore
}

const panels = (JSON.parse(read("grafana-dashboard.json")) as Dashboard).panels;
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

test("every metric of the rules and of the dashboard is documented", () => {
  const page = readFileSync(join(repositoryRoot, "docs/metrics.md"), "utf8");
  const known = new Set([...page.matchAll(/^\| `(forager_\w+)`/gm)].map(([, name]) => name));
  const used = [...expressions, read("forager.rules.yml")].flatMap((text) =>
    [...text.matchAll(/\bforager_\w+/g)].map(([name]) => name.replace(/_bucket$/, "")),
  );
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
  expect(panels.length).toBeGreaterThan(10);
});

test("every label that they select by is one that the metric has", () => {
  const page = readFileSync(join(repositoryRoot, "docs/metrics.md"), "utf8");
  const labels = new Map(
    [...page.matchAll(/^\| `(forager_\w+)` \| \w+ \| ([^|]*)\|/gm)].map(([, name, list = ""]) => [
      name,
      list.split(",").map((label) => label.trim()),
    ]),
  );
  const selected = [...expressions, read("forager.rules.yml")].flatMap((text) =>
    [...text.matchAll(/\b(forager_\w+)\{([^}]*)\}/g)].flatMap(
      ([, name = "", list = ""]) =>
      [...list.matchAll(/(\w+)(?==|!=)/g)].map(([label]) => [name.replace(/_bucket$/, ""), label] as const), // prettier-ignore
    ),
  );
  expect(selected).toContainEqual(["forager_tasks_ended_total", "result"]);
  const own = selected.filter(([, label]) => label !== "instance" && label !== "job");
  expect(own.filter(([name, label]) => !labels.get(name)?.includes(label))).toEqual([]);
});

needs(["promtool"], ({ promtool }) => {
  const run = (args: readonly string[]) =>
    spawnSync(promtool.path, args, { cwd: folder, encoding: "utf8" });

  test("promtool accepts the alert rules, and they fire when they should", () => {
    const checked = run(["check", "rules", "forager.rules.yml"]);
    expect(checked.status, checked.stdout + checked.stderr).toBe(0);
    const tested = run(["test", "rules", "rules.test.yml"]);
    expect(tested.status, tested.stdout + tested.stderr).toBe(0);
  });

  test("every expression of the dashboard is one that Prometheus can read", () => {
    const rules = expressions.map((expr, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll("$instance", ".*"),
    }));
    const scratch = mkdtempSync(join(tmpdir(), "forager-rules-"));
    onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
    const file = join(scratch, "panels.yml");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
    const checked = run(["check", "rules", file]);
    expect(checked.status, checked.stdout + checked.stderr).toBe(0);
  });
});
