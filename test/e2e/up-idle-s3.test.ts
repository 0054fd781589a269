// needs: s3
// inputs: src/** package.json tsconfig.json tsconfig.build.json
// long: fleet
import { expect, onTestFinished, test } from "vitest";
import { createTestLink, createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createSandbox } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { runUp } from "../support/run-up.ts";
import { needs } from "../support/services.ts";
import { untilMs, untilQuiet } from "../support/watch-files.ts";

/** Long enough for a heartbeat in the bucket, which comes each minute. */
const minutes = process.env["FORAGER_TEST_LONG"] === "1" ? 10 : 70 / 60;
const periodMs = minutes * 60_000;

/** `GET list ledger/heads/`, `PUT ledger/heads/NODE.json`. */
function nameOf(request: string, prefix: string): string {
  const [method = "", address = ""] = request.split(" ");
  const { pathname, searchParams } = new URL(address, "http://s3.test");
  const listed = searchParams.get("prefix");
  if (listed !== null) return `${method} list ${listed.slice(prefix.length)}`;
  const key = decodeURIComponent(pathname).split("/").slice(2).join("/").slice(prefix.length);
  return `${method} ${key.replace(/(heads|logs)\/\w+/, "$1/NODE")}`;
}

needs(["s3"], ({ s3 }) => {
  test(
    "A11: an idle node writes nothing but heartbeats to an S3 bucket, and asks it little",
    async () => {
      const sandbox = await createSandbox();
      onTestFinished(() => sandbox.remove());
      await using link = await createTestLink(s3.endpoint);
      const { place } = await createTestPlace(s3);
      const address = `s3://${place.bucket}/idle?endpoint=${link.endpoint}&region=${s3.region}`;
      const env = {
        FORAGER_GOSSIP_PORT: String(await freeUdpPort()),
        FORAGER_QUEUE_URL: "sqlite:queue.db",
        AWS_ACCESS_KEY_ID: s3.accessKey,
        AWS_SECRET_ACCESS_KEY: s3.secretKey,
      };
      const up = await runUp(sandbox, ["--data", "data", "--bucket", address, "--json"], env);
      for (const part of ["workers", "gossip", "bucket"] as const) {
        await expect.poll(() => up.part(part)?.state).toBe("running");
      }
      const requests = () => link.requests().map((one) => nameOf(one, "idle/"));
      const isWrite = (request: string) => !request.startsWith("GET ");
      await untilQuiet(() => requests().filter(isWrite).length, 10_000);
      const before = requests().length;
      await untilMs(Date.now() + periodMs);

      const idle = requests().slice(before);
      const counts = new Map<string, number>();
      for (const request of idle) counts.set(request, (counts.get(request) ?? 0) + 1);
      const shown = JSON.stringify(Object.fromEntries(counts), undefined, 2);
      // The log lines of the start are sent once.
      const logs = counts.get("PUT fleet/logs/NODE.jsonl") ?? 0;
      expect(logs, shown).toBeLessThanOrEqual(1);
      counts.delete("PUT fleet/logs/NODE.jsonl");
      const writes = [...counts.keys()].filter(isWrite);
      expect(writes, shown).toEqual(["PUT ledger/heads/NODE.json"]);
      const heartbeats = counts.get("PUT ledger/heads/NODE.json");
      // A busy machine may be late with each of them.
      expect(heartbeats, shown).toBeGreaterThanOrEqual(Math.max(1, Math.floor(minutes) - 1));
      expect(heartbeats, shown).toBeLessThanOrEqual(Math.ceil(minutes));
      const reads = [...counts.keys()].filter((request) => !isWrite(request)).sort();
      const mayRead = /^GET (?:fleet\/desired\.json|(?:list )?ledger\/heads\/(?:NODE\.json)?)$/;
      expect(
        reads.filter((request) => !mayRead.test(request)),
        shown,
      ).toEqual([]);
      expect(idle.length, shown).toBeLessThanOrEqual(15 * minutes);

      up.kill("SIGTERM");
      expect(await up.ended, up.stderr()).toBe(0);
    },
    periodMs + 180_000,
  );
});
