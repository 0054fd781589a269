import { readExpired, removeExpired, type ExpiredValue } from "../../../app/index.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import type { Command } from "../../frame/command.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";

export const recordsPurge: Command = {
  needs: "settings",
  options: [
    { flag: "--dry-run", summary: "only list what would be deleted" },
    { flag: "--yes", summary: "do not ask" },
  ],
  examples: [
    {
      line: "forager records purge --dry-run",
      summary: "list people and addresses that are too old",
    },
    { line: "forager records purge --yes", summary: "delete it, in a script" },
  ],
  details: [
    "The settings retention.peopleDays and retention.personalEmailDays define what is too old: counted from\n" +
      "when a value was last written, or last seen by a visit of the website. A person is forgotten, with\n" +
      "history, and not gathered again; a personal address (anna.berg@…, not info@…) is erased from its\n" +
      "company with history, also if the company does not have it any more, and is stored again if a later\n" +
      "visit finds it. A schedule that does purge deletes the same without asking.",
  ],

  async run(context) {
    const { flags, out, settings, clock, signal } = context;
    const { retention } = settings;
    if (retention.peopleDays + retention.personalEmailDays === 0) {
      throw usageError(
        "no age is set: set retention.peopleDays or retention.personalEmailDays, such as " +
          "`forager config set retention.peopleDays 365`",
      );
    }
    const common = { retention, nowMs: clock.nowMs(), signal };
    if (flags["dryRun"] === true) {
      await using reader = await openReaderOf(context);
      const { values, isCut } = await readExpired({ ...common, node: reader });
      if (values.length === 0) return out.result([], "nothing is too old");
      if (isCut) out.note(`only the first ${values.length} are shown`);
      return out.table(values, [
        { title: "what", value: ({ kind, isRemoved }) => (isRemoved ? `removed ${kind}` : kind) },
        { title: "record", value: ({ slug }) => slug, isKey: true },
        { title: "value", value: ({ email, name }) => email ?? name },
        { title: "last seen", value: ({ seenAt }) => seenAt.slice(0, 10) },
      ]);
    }
    await using node = await openNodeOf(context);
    const { values: expired, isCut } = await readExpired({ ...common, node });
    const others = isCut ? " and all others that are too old" : "";
    const question = `delete ${wordsOf(countsOf(expired))}${others}? deleted people cannot be restored`;
    if (expired.length > 0 && !(await context.confirm(question, { yes: flags["yes"] === true }))) {
      out.note("nothing was deleted");
      return "failed";
    }
    const removed = await removeExpired({ ...common, node, ...(!isCut && { expired }) });
    out.result(removed, `${wordsOf(removed)} deleted`);
    return removed.people + removed.emails < expired.length ? "partial" : undefined;
  },
};

const countsOf = (expired: readonly ExpiredValue[]) => ({
  people: expired.filter(({ kind }) => kind === "person").length,
  emails: expired.filter(({ kind }) => kind === "email").length,
});

const wordsOf = ({ people, emails }: { readonly people: number; readonly emails: number }) =>
  `${countOf(people, "person")} and ${countOf(emails, "personal address")}`;
