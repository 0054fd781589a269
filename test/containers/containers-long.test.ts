// long: containers
// needs: podman
// inputs: src/** packaging/** scripts/** package.json package-lock.json tsconfig.json tsconfig.build.json
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { openContainers, type Containers } from "../support/containers.ts";
import { repositoryRoot } from "../support/repository.ts";
import { needs } from "../support/services.ts";
import { until } from "../support/until.ts";

const timeout = 1_200_000;

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly mem_limit: string;
}
const prefix = `forager-test-${process.pid}`;

needs(["podman"], ({ podman: programs }) => {
  let containers: Containers;
  let image = "";
  const top = mkdtempSync(join(tmpdir(), "forager-containers-"));
  const started: string[] = [];
  beforeAll(async () => {
    containers = await openContainers(programs);
    image = await containers.buildImage();
  }, timeout);
  const removeAll = async () => {
    for (const name of started.splice(0)) await containers.podman("rm", "-f", "-t", "0", name);
  };
  afterEach(removeAll, timeout);
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  /** As the compose files start it: read-only, without capabilities. */
  const confined = ["--read-only", "--tmpfs", "/tmp", "--cap-drop=all"];
  const safe = [...confined, "--security-opt", "no-new-privileges", "--memory=1g"];

  async function start(name: string, args: readonly string[], command: readonly string[] = []) {
    const full = `${prefix}-${name}`;
    started.push(full);
    await containers.podman("run", "-d", "--name", full, ...safe, ...args, image, ...command);
    return full;
  }

  test("the image says what it is, runs as nobody, and has a health check", async () => {
    const [found] = JSON.parse(await containers.podman("inspect", image)) as {
      readonly Config: Readonly<Record<string, unknown>>;
      readonly HealthCheck?: unknown;
      readonly Healthcheck?: unknown;
    }[];
    expect(found?.Config).toMatchObject({
      User: "10001:10001",
      Volumes: { "/data": {} },
      Labels: { "org.opencontainers.image.licenses": "Apache-2.0" },
      StopSignal: "SIGTERM",
    });
    expect(JSON.stringify(found)).toContain("healthcheck.mjs");
  });

  test(
    "A11: one container does the work of the demo in 1 GB, without a network",
    { timeout },
    async () => {
      const args = ["run", "--rm", "--network=none", ...safe, image, "demo"];
      expect(await containers.podman(...args)).toMatch(/Result: PASS/);
    },
  );

  test(
    "a node in a container is healthy, does a task, and stops with exit code 0",
    { timeout },
    async () => {
      const name = await start("up", ["--network=none"]);
      await until(
        () =>
          containers.podman("healthcheck", "run", name).then(
            () => true,
            () => false,
          ),
        "healthy",
      );
      const { output } = await containers.exec(name, "forager", "company", "add", "Acme");
      expect(output).toContain("acme");
      await containers.podman("stop", "-t", "60", name);
      expect(await containers.podman("inspect", "-f", "{{.State.ExitCode}}", name)).toBe("0");
    },
  );

  test(
    "B25: the containers of compose.kinds.yaml are healthy, each with its own kinds",
    { timeout },
    async () => {
      const file = join(repositoryRoot, "packaging/container/compose.kinds.yaml");
      const { services } = parse(readFileSync(file, "utf8"), { merge: true }) as {
        readonly services: Readonly<Record<string, ComposeService>>;
      };
      const names = new Map<string, string>();
      for (const [name, { environment, mem_limit: memory }] of Object.entries(services)) {
        const { FORAGER_CONFIG: _, ...own } = environment; // there is no file to mount
        const given = Object.entries(own).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
        names.set(name, await start(name, ["--network=none", `--memory=${memory}`, ...given]));
      }
      for (const [name, full] of names) {
        await until(
          () =>
            containers.podman("healthcheck", "run", full).then(
              () => true,
              () => false,
            ),
          `${name} is healthy`,
        );
        const kinds = services[name]!.environment["FORAGER_WORK_POOLS"]!.replace(/=.*/, "");
        await until(
          async () => (await containers.podman("logs", full)).includes(kinds.replace("+", " ")),
          `${name} does ${kinds}`,
        );
      }
    },
  );

  describe("B25: three containers share a bucket", () => {
    const tasks = 500;
    test(
      "one is killed with -9 while 500 tasks run: 500 are done, none twice",
      { timeout },
      async () => {
        const shared = join(top, "shared");
        for (const folder of ["bucket", "log"])
          mkdirSync(join(shared, folder), { recursive: true });
        writeFileSync(
          join(shared, "handlers.mjs"),
          `import { appendFileSync } from "node:fs";
           export const step = { kind: "step", async run({ task }) {
             await new Promise((resolve) => setTimeout(resolve, 100));
             appendFileSync("/shared/log/" + process.env.FORAGER_NODE_NAME, task.key + "\\n");
           } };`,
        );
        writeFileSync(
          join(shared, "tasks.jsonl"),
          Array.from({ length: tasks }, (_, at) => `{"kind":"step","key":"${at}"}\n`).join(""),
        );
        for (const path of ["", "bucket", "log"]) chownSync(join(shared, path), 10_001, 10_001);
        const given = (name: string) => [
          "--network=none",
          "-v",
          `${shared}:/shared`,
          ...[
            "FORAGER_BUCKET_URL=dir:/shared/bucket",
            "FORAGER_QUEUE_LEASE_MS=5000",
            "FORAGER_GOSSIP_ON=no",
            "FORAGER_SERVE_LISTEN=off",
            "FORAGER_WORK_HANDLERS=/shared/handlers.mjs",
            `FORAGER_NODE_NAME=${name}`,
          ].flatMap((one) => ["-e", one]),
        ];
        const names = ["one", "two", "three"] as const;
        const running = new Map<string, string>();
        for (const name of names) running.set(name, await start(name, given(name)));
        const forager = async (...words: string[]) => {
          const { exitCode, output } = await containers.exec(
            running.get("two")!,
            "forager",
            ...words,
          );
          if (exitCode !== 0) throw new Error(output);
          return output;
        };
        const imported = () => forager("queue", "import", "/shared/tasks.jsonl");
        let problem = "";
        await until(
          () => imported().catch((error: unknown) => void (problem = String(error))),
          () => `imported: ${problem}`,
        );
        const done = (name: string) => {
          try {
            return readFileSync(join(shared, "log", name), "utf8")
              .trim()
              .split("\n");
          } catch {
            return [];
          }
        };
        await until(() => done("one").length > 20, "the first node works");
        await containers.podman("kill", "--signal", "KILL", running.get("one")!);
        const beforeKill = done("one").length;
        const states = async () =>
          (
            JSON.parse(await forager("queue", "stats", "--json")) as {
              readonly states: Readonly<Record<string, number>>;
            }
          ).states;
        await until(async () => (await states())["done"] === tasks, "all are done");
        expect(await states()).toMatchObject({ done: tasks, failed: 0, pending: 0, running: 0 });
        const byTwo = done("two");
        const byThree = done("three");
        expect(beforeKill).toBeLessThan(tasks);
        const finished = [...byTwo, ...byThree];
        expect(new Set(finished).size).toBe(finished.length);
        const all = new Set([...done("one"), ...finished]);
        expect(all.size).toBe(tasks);
        // Only what was running in the killed one is done again, and that is on record.
        const again = finished.filter((key) => done("one").includes(key));
        const list = await forager("queue", "list", "--json", "--limit", String(tasks));
        const { tasks: rows } = JSON.parse(list) as {
          readonly tasks: readonly { readonly key: string; readonly used: number }[];
        };
        expect(rows).toHaveLength(tasks);
        const begunTwice = rows.filter(({ used }) => used > 1).map(({ key }) => key);
        expect(begunTwice).toEqual(expect.arrayContaining(again));
        process.stderr.write(`${again.length} of ${tasks} were done again after the kill\n`);
      },
    );
  });
});
