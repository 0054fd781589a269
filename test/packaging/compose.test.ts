// inputs: packaging/container/** src/config/** src/app/work/** src/app/work/built-in-work.ts src/campaign/**
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { takesKind } from "../../src/app/work/pools.ts";
import { definitionsByKey } from "../../src/config/index.ts";
import { repositoryRoot } from "../support/repository.ts";

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, unknown>>;
}
interface ComposeService {
  readonly volumes: readonly string[];
  readonly secrets?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const read = (name: string) =>
  parse(readFileSync(join(repositoryRoot, "packaging/container", name), "utf8"), {
    merge: true,
  }) as ComposeFile;

test.each(["compose.yaml", "compose.fleet.yaml", "compose.kinds.yaml"])(
  "B25: %s has confined services with a volume each, and settings that exist",
  (name) => {
    const { services, volumes, secrets = {} } = read(name);
    const variables = new Set([...definitionsByKey.values()].map(({ variable }) => variable));
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        image: "localhost/forager",
        read_only: true,
        tmpfs: ["/tmp"],
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges"],
        restart: "unless-stopped",
        stop_grace_period: "60s",
        mem_limit: expect.stringMatching(/^(?:512m|1g)$/) as unknown,
      });
      for (const one of service.secrets ?? []) expect(secrets).toHaveProperty([one]);
      for (const variable of Object.keys(service.environment)) {
        expect([...variables, "FORAGER_CONFIG"]).toContain(variable);
      }
    }
    const folders = Object.values(services).map(({ volumes: [first] }) => first!.split(":"));
    expect(new Set(folders.map(([volume]) => volume))).toEqual(new Set(Object.keys(volumes)));
    expect(folders).toHaveLength(Object.keys(volumes).length);
    for (const [, folder] of folders) expect(folder).toBe("/data");
  },
);

test("B25: with one container per kind, exactly one does each kind", () => {
  const pools = Object.values(read("compose.kinds.yaml").services).map(
    ({ environment }) => environment["FORAGER_WORK_POOLS"]!,
  );
  for (const kind of ["discover", "details", "enrich", "resolve", "dispatch"]) {
    expect(pools.filter((one) => takesKind(one, kind))).toHaveLength(1);
  }
});
