import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Change } from "../../ledger/index.ts";
import type { MailDomainStatus, MailResolver } from "../../crawl/index.ts";
import { checkMailDomain } from "../../crawl/index.ts";
import { emailKindOf } from "../../extract/index.ts";
import type { NodeApi } from "../../node/index.ts";
import {
  emailStatusField,
  emailStatusOf,
  pageLimitMax,
  type Company,
  type EmailStatus,
  type EmailStatusName,
  type Person,
  type RecordQuery,
} from "../../records/index.ts";

export interface CheckEmailsOptions {
  readonly node: Pick<NodeApi, "ledger" | "records">;
  readonly resolver: MailResolver;
  readonly clock: Clock;
  /** How long the status of a domain or an address stays valid. */
  readonly ttlDays: number;
  /** Selects the records; those without an address are left out. */
  readonly query: Pick<RecordQuery, "kind" | "words" | "filters">;
  readonly signal: AbortSignal;
  readonly onChecked?: (addresses: number) => void;
}

export interface CheckedEmails {
  /** The number of addresses. */
  readonly addresses: number;
  /** Skipped because their status was still valid. */
  readonly fresh: number;
  /** The number of domains queried in DNS. */
  readonly asked: number;
  /** Addresses checked in this run, by status. */
  readonly statuses: Readonly<Partial<Record<EmailStatusName, number>>>;
}

const dayMs = 86_400_000;
const atOnce = 8;
const changesOfCommit = 2_000;

/**
 * Writes for each address what DNS says about its domain. The fleet queries a domain once in
 * `ttlDays`: the result is a fact of the target `mail/<domain>`. A result is never replaced by
 * `unknown`.
 */
export async function checkEmails(options: CheckEmailsOptions): Promise<CheckedEmails> {
  const { node, query, clock, signal, onChecked } = options;
  const domains = createDomainStatuses(options);
  const count = { addresses: 0, fresh: 0 };
  const statuses: Partial<Record<EmailStatusName, number>> = {};
  const sinceOf = () => new Date(clock.nowMs() - options.ttlDays * dayMs).toISOString();
  let after: string | undefined;
  do {
    if (signal.aborted) throw stopped();
    const page = await node.records.search({
      ...query,
      filters: { ...query.filters, hasEmail: true },
      sort: "name",
      limit: pageLimitMax,
      ...(after !== undefined && { after }),
    });
    const changes: Change[] = [];
    const work = page.rows.flatMap((row) => {
      const record: Company | Person = row.kind === "company" ? row.company : row.person;
      return record.emails.map((contact) => ({ record, contact }));
    });
    count.addresses += work.length;
    await inParallel(work, async ({ record, contact: { value, status: known } }) => {
      if (known && known.status !== "unknown" && known.at > sinceOf()) {
        count.fresh += 1;
        return;
      }
      const found = await domains.of(value.slice(value.lastIndexOf("@") + 1));
      statuses[found.status] = (statuses[found.status] ?? 0) + 1;
      if (found.status === "unknown" && known) return;
      const site = "numbers" in record ? record.texts.domain : undefined;
      const status: EmailStatus = { ...found, kind: emailKindOf(value, site) };
      changes.push({ target: record.target, field: emailStatusField(value), value: status });
    });
    if (signal.aborted) throw stopped();
    for (let from = 0; from < changes.length; from += changesOfCommit) {
      await node.records.write({ source: "system", changes: changes.slice(from, from + changesOfCommit) }); // prettier-ignore
    }
    onChecked?.(work.length);
    after = page.next;
  } while (after !== undefined);
  return { ...count, asked: domains.asked(), statuses };
}

/**
 * Looks up each domain once per run: in the ledger if its result is still valid, otherwise in DNS.
 */
function createDomainStatuses({ node, resolver, clock, ttlDays, signal }: CheckEmailsOptions) {
  const known = new Map<string, Promise<Omit<EmailStatus, "kind">>>();
  let [asked, failures] = [0, 0];
  const ask = async (domain: string): Promise<Omit<EmailStatus, "kind">> => {
    const target = domainTarget(domain);
    const { fields } = await node.ledger.read(target);
    const stored = emailStatusOf(fields.find(({ field }) => field === "status"));
    const nowMs = clock.nowMs();
    if (stored && Date.parse(stored.at) > nowMs - ttlDays * dayMs) return stored;
    if (signal.aborted) throw stopped();
    const found: MailDomainStatus = await checkMailDomain(resolver, domain);
    // Disposable domains come from a list, and invalid names are not sent to a server, so neither
    // counts as a query.
    if (found.status !== "disposable" && found.status !== "malformed") asked += 1;
    const status = { ...found, at: new Date(nowMs).toISOString() };
    if (found.status === "unknown") {
      failures += 1;
      if (failures >= failuresMax && failures === asked) throw noDns(found.because ?? "no answer");
      return stored ?? status;
    }
    const changes = [{ target, field: "status", value: status }];
    await node.ledger.write({ source: "system", changes });
    return status;
  };
  return {
    asked: () => asked,
    of(domain: string) {
      if (known.size >= rememberedMax) known.clear(); // the ledger has the results
      const found = known.get(domain) ?? ask(domain);
      known.set(domain, found);
      return found;
    },
  };
}

const rememberedMax = 20_000;
/** If at least this many queries were sent and all failed, the network is probably down. */
const failuresMax = 20;

/** DNS names can be longer than target names; long ones are hashed. */
const domainTarget = (domain: string): string =>
  domain.length <= 180
    ? `mail/${domain.replaceAll("/", "")}`
    : `mail/h-${createHash("sha256").update(domain).digest("hex").slice(0, 32)}`;

async function inParallel<T>(work: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < work.length) await run(work[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

const stopped = () => new AppError("aborted", "check_emails_stopped", "the check was stopped");

const noDns = (reason: string) =>
  new AppError(
    "unavailable",
    "dns_unreachable",
    `no DNS server answers (${reason}): check the network or set mail.dnsServer, then run the command again`,
  );
