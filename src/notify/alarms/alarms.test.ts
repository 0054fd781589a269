import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import { createHttpPoster } from "../../crawl/adapters/http/http-poster.ts";
import { createMailTarget } from "../adapters/smtp/mail-target.ts";
import { openReceiver, signedHeaders } from "../testing/receiver.ts";
import type { Alarm, AlarmEvent } from "./alarm.ts";
import { createAlarmKeeper } from "./alarm-keeper.ts";
import { createNtfyTarget, createSlackTarget, createWebhookTarget } from "./http-targets.ts";
import { openOutboxFile, type OutboxFile } from "./outbox.ts";

const disk: Alarm = { name: "disk", subject: "pi-1", text: "pi-1: 2.0 % of its disk is left" };
const missing: Alarm = { name: "node_missing", subject: "pi-2", text: "pi-2 is missed" };

describe("alarms", () => {
  let clock: TestClock;
  let file: string;
  let now: readonly Alarm[];
  let isBucketRead: boolean;
  let isDown: boolean;
  let sent: AlarmEvent[];

  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), "forager-alarms-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    file = join(folder, "node", "alarms.json");
    clock = createTestClock(1_790_000_000_000);
    [now, isBucketRead, isDown, sent] = [[], true, false, []];
  });

  /** A new process on the same folder: what it knows is what the file has. */
  const open = (targets: readonly string[] = ["webhook"], stored = openOutboxFile(file)) =>
    createAlarmKeeper({
      file: stored,
      read: async () => ({ alarms: now, isKnown: ({ name }) => isBucketRead || name === "disk" }),
      targets: () =>
        targets.map((name) => ({
          name,
          async send(event) {
            if (isDown) throw new Error("down");
            sent.push(event);
          },
        })),
      everyMs: () => 1_000,
      settleMs: () => 60_000,
      node: "pi-1",
      clock,
      random: createSeededRandom(4),
      log: silentLogger,
    });
  const reported = () => sent.map(({ what, name, subject }) => `${what} ${name} ${subject}`);
  const pass = async (keeper: ReturnType<typeof open>, seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1_000);
      await keeper.tick();
    }
  };

  test("each is sent once when it begins and once when it ends", async () => {
    const keeper = open();
    now = [disk];
    await pass(keeper, 3);
    now = [{ ...disk, text: "pi-1: 1.0 % of its disk is left" }, missing];
    await pass(keeper, 3);
    now = [missing];
    await pass(keeper, 3);
    expect(reported()).toEqual(["began disk pi-1", "began node_missing pi-2", "ended disk pi-1"]);
    expect(sent[2]!.sinceMs).toBe(sent[0]!.atMs);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("what was not accepted is sent by the next process, with the same id", async () => {
    isDown = true;
    now = [disk];
    await pass(open(), 1);
    expect(sent).toEqual([]);
    isDown = false;
    const next = open();
    await pass(next, 30);
    expect(reported()).toEqual(["began disk pi-1"]);
    const stored = await openOutboxFile(file).read();
    expect(stored.messages).toEqual([]);
    expect(stored.active).toMatchObject([disk]);
    await pass(open(), 5);
    expect(reported()).toEqual(["began disk pi-1"]);
  });

  test("messages to a target keep their order, also while the first of them waits for its next attempt", async () => {
    const keeper = open();
    [now, isDown] = [[disk], true];
    await pass(keeper, 1);
    [now, isDown] = [[], false];
    await pass(keeper, 10);
    expect(reported()).toEqual(["began disk pi-1", "ended disk pi-1"]);
  });

  test("on a full disk alarms are sent all the same, and stored when there is room", async () => {
    const outbox = openOutboxFile(file);
    let isFull = true;
    const stored: OutboxFile = {
      read: () => outbox.read(),
      async write(next) {
        if (isFull) throw new Error("ENOSPC: no space left on device");
        await outbox.write(next);
      },
    };
    const keeper = open(["webhook"], stored);
    now = [disk];
    await pass(keeper, 3);
    expect(reported()).toEqual(["began disk pi-1"]);
    isFull = false;
    await pass(keeper, 2);
    expect((await outbox.read()).active).toMatchObject([disk]);
    await pass(open(), 5);
    expect(reported()).toEqual(["began disk pi-1"]);
  });

  test("an alarm of an earlier process is over only after this one has looked for a while", async () => {
    now = [disk];
    await pass(open(), 1);
    now = [];
    const next = open();
    await pass(next, 30);
    expect(reported()).toEqual(["began disk pi-1"]);
    await pass(next, 40);
    expect(reported()).toEqual(["began disk pi-1", "ended disk pi-1"]);
  });

  test("an alarm that cannot be judged stays", async () => {
    const keeper = open();
    now = [disk, missing];
    await pass(keeper, 1);
    [now, isBucketRead] = [[], false];
    await pass(keeper, 5);
    expect(reported().slice(2)).toEqual(["ended disk pi-1"]);
    isBucketRead = true;
    await pass(keeper, 5);
    expect(reported().slice(3)).toEqual(["ended node_missing pi-2"]);
  });

  test("a target that is down is asked less and less often, for a day; the file stays small", async () => {
    isDown = true;
    const keeper = open(["webhook", "slack"]);
    now = Array.from({ length: 700 }, (_, at) => ({ ...disk, subject: `pi-${at}` }));
    await pass(keeper, 2);
    const { active, messages } = await openOutboxFile(file).read();
    expect(active.length).toBe(500);
    expect(messages.length).toBe(1_000);
    await clock.advance(2 * 86_400_000);
    for (let turn = 0; turn < 1_100; turn++) await keeper.tick();
    isDown = false;
    await pass(keeper, 5);
    expect((await openOutboxFile(file).read()).messages).toEqual([]);
  });

  test("a damaged file is an empty one, and nothing is read without a target", async () => {
    now = [disk];
    await pass(open(), 1);
    writeFileSync(file, "{");
    await pass(open([]), 2);
    expect(reported()).toEqual(["began disk pi-1"]);
    await pass(open(), 1);
    expect(reported()).toEqual(["began disk pi-1", "began disk pi-1"]);
  });
});

describe("targets", () => {
  const event: AlarmEvent = {
    ...disk,
    text: "pi-1: <2 %> & \r\nBcc: x@evil.example",
    id: "alarm_1",
    what: "began",
    atMs: 1_790_000_000_000,
    sinceMs: 1_790_000_000_000,
    node: "pi-ß",
  };
  const { signal } = new AbortController();
  const openPoster = () => {
    const poster = createHttpPoster({ allowPrivateNetworks: "any", clock: systemClock });
    onTestFinished(() => poster[Symbol.asyncDispose]());
    return poster;
  };
  const partsOf = (url: string) => ({ url: async () => url, poster: openPoster() });

  test("a webhook is signed by the specification; a secret that is a text signs with its bytes", async () => {
    const { url, got } = await openReceiver();
    const secret = async () => "a text of mine";
    await createWebhookTarget({ ...partsOf(url), secret, clock: systemClock }).send(event, signal);
    const verifier = new Webhook(Buffer.from("a text of mine").toString("base64"));
    expect(verifier.verify(got[0]!.body, signedHeaders(got[0]!))).toMatchObject({
      type: "alarm.began",
      data: { name: "disk", subject: "pi-1", node: "pi-ß" },
    });
    await createWebhookTarget({ ...partsOf(url), clock: systemClock }).send(event, signal);
    expect(got[1]!.headers["webhook-signature"]).toBe(undefined);
  });

  test("Slack gets a text without markup of others; ntfy gets a title, a priority and tags", async () => {
    const { url, got } = await openReceiver();
    await createSlackTarget(partsOf(url)).send(event, signal);
    expect(JSON.parse(got[0]!.body)).toEqual({
      text: "*alarm: disk pi-1 (seen by pi-ß)*\npi-1: &lt;2 %&gt; &amp; \r\nBcc: x@evil.example\nwhat to do: forager runbook disk",
    });
    await createNtfyTarget(partsOf(url)).send(event, signal);
    expect(got[1]!.headers).toMatchObject({ priority: "4", tags: "rotating_light" });
    const title = String(got[1]!.headers["title"]);
    expect(Buffer.from(title.slice(10, -2), "base64").toString()).toBe("alarm: disk pi-1 (seen by pi-ß)"); // prettier-ignore
  });

  test("a receiver that refuses is an error", async () => {
    const { url } = await openReceiver([[500]]);
    await expect(createSlackTarget(partsOf(url)).send(event, signal)).rejects.toThrow("500");
  });

  async function openMailServer() {
    const mails: { readonly to: readonly string[]; readonly text: string }[] = [];
    const server = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        username === "ann" && password === "p@ss" ? done(null, { user: "ann" }) : done(new Error("no")), // prettier-ignore
      onData(stream, { envelope }, done) {
        let text = "";
        stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
        stream.on("end", () => {
          mails.push({ to: envelope.rcptTo.map(({ address }) => address), text });
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return { mails, port: (server.server.address() as AddressInfo).port };
  }

  test("mail goes to a real SMTP server, with a password, and text adds no header or receiver", async () => {
    const { mails, port } = await openMailServer();
    const url = `smtp://ann:p%40ss@127.0.0.1:${port}?from=forager@example.org&to=ops@example.org,two@example.org`;
    await createMailTarget({ url: async () => url }).send(event, signal);
    expect(mails[0]!.to).toEqual(["ops@example.org", "two@example.org"]);
    const [head = "", body = ""] = mails[0]!.text.split("\r\n\r\n", 2);
    expect(head).toContain("Message-ID: <alarm_1@forager.invalid>");
    expect(head).not.toMatch(/^Bcc/im);
    expect(body).toContain("Bcc: x@evil.example");
    const wrong = url.replace("p%40ss", "other");
    await expect(createMailTarget({ url: async () => wrong }).send(event, signal)).rejects.toMatchObject({ code: "mail_refused" }); // prettier-ignore
    await expect(createMailTarget({ url: async () => "smtp://h" }).send(event, signal)).rejects.toMatchObject({ code: "bad_mail_url" }); // prettier-ignore
  });
});
