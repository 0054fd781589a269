import * as z from "zod";
import { hostNames, networks, sshHosts } from "./host-lists.ts";
import { isSecret, type Secret } from "../secrets/secret.ts";
import { oidcSettings, serveSettings } from "./serve-settings.ts";
import {
  absolutePath,
  choice,
  commandLine,
  contact,
  interruptionSource,
  list,
  nameOfNode,
  settingMeta,
  text,
  wholeNumber,
} from "./setting-schemas.ts";

export { settingMeta, type SettingMeta } from "./setting-schemas.ts";

/** A campaign in one environment does not touch the data of the others. */
export const environments = ["dev", "test", "prod"] as const;

const rolePolicy = (role: string) =>
  text("the ARN of a policy")
    .optional()
    .register(settingMeta, {
      description: `policy of the role ${role}, as \`forager infra apply-outputs\` writes it`,
    });

/**
 * Every setting there is: its type, bounds, default and one-line description. To add one, add it
 * here: files, environment, flags, `config show` and error messages all follow from this schema.
 * An `error` text completes the sentence "<key> must be …".
 */
export const settingsSchema = z.strictObject({
  data: text("the path of a folder").register(settingMeta, {
    description: "folder for all data",
    form: "folder",
  }),
  environment: choice(environments).optional().register(settingMeta, {
    description:
      "dev, test or prod: each has its own data folder, queue and bucket folder; default: none",
  }),
  node: z.strictObject({
    name: nameOfNode().optional().register(settingMeta, {
      description: "name of this node in the fleet; default: the name of the machine",
    }),
  }),
  log: z.strictObject({
    level: choice(["debug", "info", "warn", "error"]).default("info").register(settingMeta, {
      description: "lowest level of log lines that are written",
    }),
  }),
  output: z.strictObject({
    pager: choice(["auto", "never"]).default("auto").register(settingMeta, {
      description: "auto: long lists on a terminal go to $PAGER or less; never: they do not",
    }),
  }),
  queue: z.strictObject({
    url: text("the address of a queue").default("sqlite:queue.db").register(settingMeta, {
      description:
        "where tasks are: sqlite:FILE, postgres://, s3:// or dir:; by default the bucket's",
      form: "url",
      passwordKey: "queue.password",
    }),
    password: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description: "password for queue.url: { file = … }, { env = … } or { command = … }",
      form: "secret",
    }),
    durability: choice(["normal", "full"]).default("full").register(settingMeta, {
      description: "SQLite: full survives a power cut; normal is faster and survives only crashes",
    }),
    leaseMs: wholeNumber(1000, 3_600_000).default(60_000).register(settingMeta, {
      description:
        "milliseconds after which another worker may take over a task whose worker is silent",
    }),
    keepDoneDays: wholeNumber(0, 3650).default(7).register(settingMeta, {
      description: "days a done or skipped task is kept before it moves into the log",
    }),
    keepFailedDays: wholeNumber(0, 3650).default(30).register(settingMeta, {
      description: "days a failed task is kept, and can be retried, before it moves into the log",
    }),
    keepKeysDays: wholeNumber(0, 3650).default(90).register(settingMeta, {
      description: "days the key of a finished task is reserved: adding it again is a duplicate",
    }),
    postgres: z.strictObject({
      poolMax: wholeNumber(2, 1_000).default(70).register(settingMeta, {
        description:
          "maximum connections of a process; never more than the server's limit minus 20",
      }),
      poolIdleMax: wholeNumber(0, 1_000).default(20).register(settingMeta, {
        description: "maximum idle connections that are kept open",
      }),
      statementMs: wholeNumber(100, 3_600_000).default(60_000).register(settingMeta, {
        description: "milliseconds after which a statement is cancelled",
      }),
      lockMs: wholeNumber(100, 3_600_000).default(20_000).register(settingMeta, {
        description: "milliseconds after which waiting for a lock is cancelled",
      }),
      lazy: list(["add", "claim", "finish"]).default("").register(settingMeta, {
        isList: true,
        description: "writes answered before they are on the server's disk: add,claim,finish",
      }),
      prepare: choice(["auto", "never"]).default("auto").register(settingMeta, {
        description: "use prepared statements; auto: not behind a transaction pooler",
      }),
      listenUrl: text("the address of a server").optional().register(settingMeta, {
        description: "direct address of the server for LISTEN, if queue.url is that of a pooler",
        form: "url",
        passwordKey: "queue.postgres.listenPassword",
      }),
      listenPassword: z.custom<Secret>(isSecret).optional().register(settingMeta, {
        description: "password for queue.postgres.listenUrl, if it is not that of queue.url",
        form: "secret",
      }),
    }),
  }),
  bucket: z.strictObject({
    url: text("the address of a bucket").optional().register(settingMeta, {
      description: "the fleet's bucket: s3://BUCKET/PREFIX, dir:FOLDER or postgres://HOST/DATABASE",
      form: "url",
      passwordKey: "bucket.password",
    }),
    password: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description: "password for bucket.url: { file = … }, { env = … } or { command = … }",
      form: "secret",
    }),
  }),
  gossip: z.strictObject({
    on: choice(["yes", "no"]).default("yes").register(settingMeta, {
      description: "whether nodes send changes to other nodes immediately",
    }),
    keys: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description:
        "the fleet's keys from `forager node key`, the first encrypts; else the folder's own key",
      form: "secret",
    }),
    cluster: text("a name").default("forager").register(settingMeta, {
      description:
        "name of the fleet: nodes of other fleets are ignored, even if they have the key",
    }),
    host: text("a numeric address of this machine").optional().register(settingMeta, {
      description: "address to bind; default: all addresses with gossip.keys, 127.0.0.1 without",
    }),
    port: wholeNumber(0, 65_535).default(9_999).register(settingMeta, {
      description: "UDP and TCP port; if it is in use or 0, another free one is used",
    }),
    peers: text("HOST:PORT separated by commas").optional().register(settingMeta, {
      isList: true,
      description: "nodes that are always contacted, such as pi-7:9999,10.0.0.8:9999",
    }),
    mdns: choice(["yes", "no"]).default("yes").register(settingMeta, {
      description: "whether to find nodes of the local network by mDNS, if gossip.keys is set",
    }),
  }),
  ledger: z.strictObject({
    hub: choice(["auto", "never", "always"]).default("auto").register(settingMeta, {
      description: "whether this node makes checkpoints for the fleet; auto: if no other node does",
    }),
    archive: choice(["keep", "delete"]).default("keep").register(settingMeta, {
      description:
        "what the hub does with folded segments: archive them for history, or delete them",
    }),
  }),
  crawl: z.strictObject({
    contact: contact().optional().register(settingMeta, {
      description: "page or mailbox where the owners of websites reach you, sent to every site",
    }),
    delayMs: wholeNumber(0, 3_600_000).default(1_000).register(settingMeta, {
      description: "milliseconds between two requests to a host, outside of campaigns",
    }),
    pages: wholeNumber(1, 1_000).default(8).register(settingMeta, {
      description: "maximum pages per visit of a website",
    }),
    bytes: wholeNumber(1_000, 2_000_000_000).default(20_000_000).register(settingMeta, {
      description: "maximum bytes per visit of a website",
    }),
    seconds: wholeNumber(1, 86_400).default(600).register(settingMeta, {
      description: "maximum milliseconds per visit of a website, without waiting for workers",
    }),
    deobfuscate: choice(["off", "simple", "all"]).default("simple").register(settingMeta, {
      description: "how to search for hidden addresses; all: also those that scripts assemble",
    }),
    ttlDays: wholeNumber(0, 3_650).default(90).register(settingMeta, {
      description:
        "days after which a website is visited again, unless the company has its own ttlDays",
    }),
    allowPrivateNetworks: networks().default("").register(settingMeta, {
      isList: true,
      earlierKey: "crawl.allowAddresses",
      description: "private networks that may be visited, such as 127.0.0.1,10.0.0.0/8",
    }),
    browser: choice(["off", "auto", "always"]).default("auto").register(settingMeta, {
      description:
        "which pages a browser renders; auto: those that are empty without their scripts",
    }),
    browserPath: text("the path of a program").optional().register(settingMeta, {
      description: "the Chromium that renders pages; default: the first one found",
    }),
    keepHtmlBytes: wholeNumber(0, 5_000_000).default(0).register(settingMeta, {
      description: "how many bytes of each page to store unchanged; 0: none",
    }),
  }),
  work: z.strictObject({
    handlers: text("the path of a file").optional().register(settingMeta, {
      description:
        "file whose exports are handlers that `forager work` runs in addition to its own",
      form: "folder",
    }),
    pools: text("pools such as *=1x10").default("*=1x10").register(settingMeta, {
      description: "worker processes: KINDS=PROCESSESxCONCURRENCY, such as page+map=2x5-20 *=1x10",
    }),
    graceMs: wholeNumber(0, 600_000).default(25_000).register(settingMeta, {
      description: "milliseconds that a stopping worker waits for its handlers",
    }),
    watchdogMs: wholeNumber(2_000, 600_000).default(30_000).register(settingMeta, {
      description:
        "milliseconds without a heartbeat after which a worker process is killed and replaced",
    }),
    interruption: interruptionSource().default("off").register(settingMeta, {
      description:
        "source of notices that this machine will be taken away: aws, gcp, azure, auto, file:PATH or off",
    }),
    metadataUrl: text("an http:// address")
      .default("http://169.254.169.254")
      .register(settingMeta, {
        description: "address of the provider's metadata service, for work.interruption",
      }),
    listen: text("HOST:PORT").optional().register(settingMeta, {
      description: "where `forager work` serves /metrics, /healthz and /readyz, as HOST:PORT",
    }),
    listenNames: hostNames().default("").register(settingMeta, {
      isList: true,
      description:
        "host names that requests to work.listen may use, in addition to its address: pi-3,pi-3.lan",
    }),
  }),
  serve: serveSettings,
  oidc: oidcSettings,
  mail: z.strictObject({
    dnsServer: text("the address of a DNS server").optional().register(settingMeta, {
      description:
        "DNS server that is queried for mail domains, such as 1.1.1.1 or HOST:PORT; default: the system's",
    }),
    ttlDays: wholeNumber(1, 3_650).default(30).register(settingMeta, {
      description: "days after which the domain of an e-mail address is checked again",
    }),
  }),
  retention: z.strictObject({
    peopleDays: wholeNumber(0, 36_500).default(0).register(settingMeta, {
      description: "days after which people who were not found again are deleted; 0: never",
    }),
    personalEmailDays: wholeNumber(0, 36_500).default(0).register(settingMeta, {
      description:
        "days after which personal addresses that were not found again are deleted; 0: never",
    }),
  }),
  legal: z.strictObject({
    controller: text("a name and an address").optional().register(settingMeta, {
      description: "the organization responsible for the data, included in every export",
    }),
    contact: text("a page or a mailbox").optional().register(settingMeta, {
      description: "where people ask about their data, included with every export",
    }),
    basis: text("a legal basis").optional().register(settingMeta, {
      description:
        "the legal basis of the processing, such as legitimate interest (Art. 6(1)(f) GDPR)",
    }),
    noticeUrl: text("a web address").optional().register(settingMeta, {
      description: "the privacy notice, included in every export",
    }),
  }),
  publish: z.strictObject({
    afterCommand: text("a command").optional().register(settingMeta, {
      description:
        "command to run after a published site has changed; {target} and {generation} are replaced",
    }),
  }),
  places: z.strictObject({
    keepReleases: wholeNumber(1, 1_000).default(3).register(settingMeta, {
      description: "how many releases of a file of places are kept; a new one removes older ones",
    }),
  }),
  fleet: z.strictObject({
    hosts: sshHosts().default("").register(settingMeta, {
      isList: true,
      description: "hosts that `forager deploy` updates, as for `ssh`: pi-1,pi@10.0.0.8",
    }),
  }),
  deploy: z.strictObject({
    folder: absolutePath().default("/opt/forager").register(settingMeta, {
      description: "installation folder on the hosts, as created by install.sh",
    }),
    restartCommand: commandLine()
      .default("systemctl restart forager.service")
      .register(settingMeta, {
        description: "command that restarts Forager on a host, for `forager deploy`",
      }),
    healthCommand: commandLine().optional().register(settingMeta, {
      description:
        "command that exits 0 if a host is healthy; default: checks systemd and forager status",
    }),
  }),
  roles: z.strictObject({
    node: rolePolicy("node"),
    hub: rolePolicy("hub"),
    dashboard: rolePolicy("dashboard"),
  }),
  audit: z.strictObject({
    keepDays: wholeNumber(1, 36_500).default(365).register(settingMeta, {
      description: "days the audit log is kept, to the end of their month",
    }),
  }),
  webhook: z.strictObject({
    allowPrivateNetworks: networks().default("").register(settingMeta, {
      isList: true,
      description: "private networks that webhooks may reach, such as 10.0.0.0/8",
    }),
  }),
  alert: z.strictObject({
    stallMs: wholeNumber(1_000, 86_400_000).default(900_000).register(settingMeta, {
      description:
        "milliseconds without a finished task, although tasks could run, after which a stall is reported",
    }),
    webhook: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description: "where alarms are posted to, by the Standard Webhooks specification: a URL",
      form: "secretUrl",
    }),
    secret: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description: "secret for signing posts to alert.webhook: whsec_… of the receiver, or a text",
      form: "secret",
    }),
    slack: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description: "incoming webhook of Slack, Mattermost or others that take a JSON text: a URL",
      form: "secretUrl",
    }),
    ntfy: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description: "topic of an ntfy server, such as https://ntfy.sh/my-topic",
      form: "secretUrl",
    }),
    mail: z.custom<Secret>(isSecret).optional().register(settingMeta, {
      description: "mail server and addresses: smtps://USER:PASSWORD@HOST?from=ADDRESS&to=ADDRESS",
      form: "secret",
    }),
    scope: choice(["fleet", "node"]).default("fleet").register(settingMeta, {
      description: "which alarms this node sends: those of the whole fleet, or its own",
    }),
  }),
});

export type Settings = DeepReadonly<z.output<typeof settingsSchema>>;

type DeepReadonly<T> = T extends Secret | string | number | boolean | undefined
  ? T
  : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };
