import { expect, test } from "vitest";
import { definitionsByKey, groups } from "./definitions.ts";

test("every setting is known by its key, variable and one-line description", () => {
  const all = [...definitionsByKey.values()];
  expect(Object.fromEntries(all.map(({ key, variable }) => [key, variable]))).toEqual({
    data: "FORAGER_DATA",
    environment: "FORAGER_ENVIRONMENT",
    "node.name": "FORAGER_NODE_NAME",
    "log.level": "FORAGER_LOG_LEVEL",
    "queue.url": "FORAGER_QUEUE_URL",
    "queue.password": "FORAGER_QUEUE_PASSWORD",
    "queue.durability": "FORAGER_QUEUE_DURABILITY",
    "queue.leaseMs": "FORAGER_QUEUE_LEASE_MS",
    "queue.keepDoneDays": "FORAGER_QUEUE_KEEP_DONE_DAYS",
    "queue.keepFailedDays": "FORAGER_QUEUE_KEEP_FAILED_DAYS",
    "queue.keepKeysDays": "FORAGER_QUEUE_KEEP_KEYS_DAYS",
    "queue.postgres.poolMax": "FORAGER_QUEUE_POSTGRES_POOL_MAX",
    "queue.postgres.poolIdleMax": "FORAGER_QUEUE_POSTGRES_POOL_IDLE_MAX",
    "queue.postgres.statementMs": "FORAGER_QUEUE_POSTGRES_STATEMENT_MS",
    "queue.postgres.lockMs": "FORAGER_QUEUE_POSTGRES_LOCK_MS",
    "queue.postgres.lazy": "FORAGER_QUEUE_POSTGRES_LAZY",
    "queue.postgres.prepare": "FORAGER_QUEUE_POSTGRES_PREPARE",
    "queue.postgres.listenUrl": "FORAGER_QUEUE_POSTGRES_LISTEN_URL",
    "queue.postgres.listenPassword": "FORAGER_QUEUE_POSTGRES_LISTEN_PASSWORD",
    "bucket.url": "FORAGER_BUCKET_URL",
    "bucket.password": "FORAGER_BUCKET_PASSWORD",
    "gossip.on": "FORAGER_GOSSIP_ON",
    "gossip.keys": "FORAGER_GOSSIP_KEYS",
    "gossip.cluster": "FORAGER_GOSSIP_CLUSTER",
    "gossip.host": "FORAGER_GOSSIP_HOST",
    "gossip.port": "FORAGER_GOSSIP_PORT",
    "gossip.peers": "FORAGER_GOSSIP_PEERS",
    "gossip.mdns": "FORAGER_GOSSIP_MDNS",
    "ledger.hub": "FORAGER_LEDGER_HUB",
    "ledger.archive": "FORAGER_LEDGER_ARCHIVE",
    "crawl.contact": "FORAGER_CRAWL_CONTACT",
    "crawl.delayMs": "FORAGER_CRAWL_DELAY_MS",
    "crawl.pages": "FORAGER_CRAWL_PAGES",
    "crawl.bytes": "FORAGER_CRAWL_BYTES",
    "crawl.seconds": "FORAGER_CRAWL_SECONDS",
    "crawl.deobfuscate": "FORAGER_CRAWL_DEOBFUSCATE",
    "crawl.ttlDays": "FORAGER_CRAWL_TTL_DAYS",
    "crawl.allowPrivateNetworks": "FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS",
    "crawl.browser": "FORAGER_CRAWL_BROWSER",
    "crawl.browserPath": "FORAGER_CRAWL_BROWSER_PATH",
    "crawl.keepHtmlBytes": "FORAGER_CRAWL_KEEP_HTML_BYTES",
    "work.handlers": "FORAGER_WORK_HANDLERS",
    "work.pools": "FORAGER_WORK_POOLS",
    "work.graceMs": "FORAGER_WORK_GRACE_MS",
    "work.watchdogMs": "FORAGER_WORK_WATCHDOG_MS",
    "work.interruption": "FORAGER_WORK_INTERRUPTION",
    "work.metadataUrl": "FORAGER_WORK_METADATA_URL",
    "work.listen": "FORAGER_WORK_LISTEN",
    "work.listenNames": "FORAGER_WORK_LISTEN_NAMES",
    "serve.listen": "FORAGER_SERVE_LISTEN",
    "serve.names": "FORAGER_SERVE_NAMES",
    "serve.environment": "FORAGER_SERVE_ENVIRONMENT",
    "retention.personalEmailDays": "FORAGER_RETENTION_PERSONAL_EMAIL_DAYS",
    "mail.dnsServer": "FORAGER_MAIL_DNS_SERVER",
    "mail.ttlDays": "FORAGER_MAIL_TTL_DAYS",
    "retention.peopleDays": "FORAGER_RETENTION_PEOPLE_DAYS",
    "legal.controller": "FORAGER_LEGAL_CONTROLLER",
    "legal.contact": "FORAGER_LEGAL_CONTACT",
    "legal.basis": "FORAGER_LEGAL_BASIS",
    "legal.noticeUrl": "FORAGER_LEGAL_NOTICE_URL",
    "places.keepReleases": "FORAGER_PLACES_KEEP_RELEASES",
    "alert.stallMs": "FORAGER_ALERT_STALL_MS",
    "alert.webhook": "FORAGER_ALERT_WEBHOOK",
    "alert.secret": "FORAGER_ALERT_SECRET",
  });
  for (const { description } of all) expect(description).toMatch(/^\S.{10,98}\S$/);
  expect([...groups]).toEqual([
    "node",
    "log",
    "queue",
    "queue.postgres",
    "bucket",
    "gossip",
    "ledger",
    "crawl",
    "work",
    "serve",
    "mail",
    "retention",
    "legal",
    "places",
    "alert",
  ]);
});

test("two settings never share a variable, and a password's setting is a secret", () => {
  const all = [...definitionsByKey.values()];
  expect(new Set(all.map(({ variable }) => variable)).size).toBe(all.length);
  for (const { passwordKey } of all) {
    if (passwordKey) expect(definitionsByKey.get(passwordKey)?.form).toBe("secret");
  }
});
