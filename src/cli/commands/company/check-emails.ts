import { checkEmails, createMailResolver } from "../../../app/index.ts";
import { countOf, formatCount } from "../../../base/text/count-words.ts";
import { emailStatuses } from "../../../records/index.ts";
import type { Command } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { filterOptions, readFilters } from "./parts/filter-options.ts";

export const companyCheckEmails: Command = {
  needs: "settings",
  options: [
    { flag: "--words", value: "words", summary: "only companies that a search for them finds" },
    ...filterOptions("company"),
  ],
  examples: [
    { line: "forager company check-emails", summary: "addresses without a status, or with an old one" }, // prettier-ignore
    { line: "forager company check-emails --city Austin && forager export emails --email-status ok-domain", summary: "only domains that accept mail" }, // prettier-ignore
  ],
  details: [
    "Asks DNS for the domain of each address, once per domain in mail.ttlDays and for the whole fleet. No\n" +
      "mail server is asked, and nothing is sent, so no address is ever called verified. ok-domain: it has\n" +
      "mail servers, or only an address (address-only, a weak sign). no-mail: it declares that it accepts none\n" +
      "(null MX), has no records, or does not exist. disposable: it is on the list of throw-away mailboxes.\n" +
      "unknown: DNS gave no answer; the next run asks again.",
    "Exit code 3 if some domains gave no answer.",
  ],

  async run(context) {
    const { flags, out, settings, clock, signal } = context;
    const words = textFlag(flags, "words");
    const filters = readFilters(flags, clock.nowMs());
    const { dnsServer: server, ttlDays } = settings.mail;
    const resolver = await createMailResolver({ server, signal });
    await using node = await openNodeOf(context);
    const bar = context.progress.start({ label: "check addresses" });
    const query = { kind: "company" as const, filters, ...(words !== undefined && { words }) };
    const checked = await checkEmails({
      node,
      resolver,
      clock,
      ttlDays,
      query,
      signal,
      onChecked: (count) => bar.advance(count),
    }).finally(() => bar.done());
    const { addresses, fresh, asked, statuses } = checked;
    const found = emailStatuses.flatMap((status) =>
      statuses[status] === undefined ? [] : [`${formatCount(statuses[status])} ${status}`],
    );
    const parts = [...found, ...(fresh > 0 ? [`${formatCount(fresh)} known`] : [])];
    out.result(
      checked,
      `${countOf(addresses, "address")}: ${parts.join(", ") || "none"}; DNS was asked for ${countOf(asked, "domain")}`,
    );
    return (statuses.unknown ?? 0) > 0 ? "partial" : undefined;
  },
};
