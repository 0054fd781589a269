import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { runDeploy } from "../../../app/index.ts";
import { docsPage } from "../../../base/files/docs-page.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { userName } from "../../../config/index.ts";
import type { DeployReport } from "../../../ship/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { parseDuration } from "../../options/duration.ts";
import { textFlag } from "../../options/flags.ts";
import { openNodeOf } from "../../frame/node-context.ts";
import { describePreflight, describeReport } from "./deploy-view.ts";

export const deploy: Command = {
  needs: "settings",
  arguments: [
    { name: "host", summary: "HOST, USER@HOST or a name of ~/.ssh/config (default: fleet.hosts)", isOptional: true, isRepeated: true }, // prettier-ignore
  ],
  options: [
    { flag: "--from", value: "path", summary: "release folder, archive, or output of `npm run release`", complete: "file" }, // prettier-ignore
    { flag: "--dry-run", summary: "check the hosts and print the plan, change nothing" },
    { flag: "--rollback", summary: "return to the previous release" },
    { flag: "--to", value: "release", summary: "with --rollback: this release instead" },
    {
      flag: "--canary",
      value: "host",
      summary: "the first host to change (default: the first one named)",
    },
    { flag: "--batch", value: "count", summary: "hosts at a time after the first, such as 2 or 25%", default: "25%" }, // prettier-ignore
    { flag: "--within", value: "time", summary: "how long a host must be healthy after the switch", default: "180s" }, // prettier-ignore
    { flag: "--healthy-for", value: "time", summary: "and must stay healthy for this long", default: "60s" }, // prettier-ignore
  ],
  examples: [
    { line: "forager deploy pi-1 pi-2 pi-3 --dry-run", summary: "check if everything is ready" },
    {
      line: "forager deploy",
      summary: "the release of this checkout, to the hosts of fleet.hosts",
    },
    { line: "forager deploy --from release --canary pi-2 --batch 1", summary: "one host at a time" }, // prettier-ignore
    { line: "forager deploy --rollback", summary: "return all hosts to the previous release" },
  ],
  details: [
    "It uses your `ssh`, with its keys and configuration. The hosts need Forager installed by install.sh,\n" +
      "and root or sudo without a password. Any problem of any host stops it before anything is changed.",
    "A host that is not confirmed rolls back automatically, even if the connection is lost.",
    "Exits 1 if it was refused, 3 if a host rolled back or could not be changed.",
    `Page: ${docsPage("guides/deploy-to-pis.md")}`,
  ],

  async run(context) {
    const { args, flags, out, clock, signal, settings, cwd } = context;
    const isRollback = flags["rollback"] === true;
    const to = textFlag(flags, "to");
    const from = textFlag(flags, "from");
    if (to !== undefined && !isRollback) throw usageError("--to can only be used with --rollback");
    if (from !== undefined && isRollback) throw usageError("--from and --rollback exclude each other"); // prettier-ignore
    const isDryRun = flags["dryRun"] === true;
    const report = await asUsage(
      () =>
        runDeploy({
          settings,
          hosts: args,
          from,
          cwd,
          isRollback,
          to,
          canary: textFlag(flags, "canary"),
          batch: textFlag(flags, "batch") ?? "25%",
          withinMs: parseDuration("within", textFlag(flags, "within") ?? "180s"),
          watchMs: parseDuration("healthy-for", textFlag(flags, "healthyFor") ?? "60s"),
          isDryRun,
          owner: `${userName()}@${hostname()}`,
          clock,
          signal,
          onPreflight: (reports) => out.note(describePreflight(reports)),
          onStep: (host, step) => {
            context.markChange(); // the first step changes the host
            out.note(`${host}: ${step}`);
          },
        }),
      ["deploy_canary", "deploy_release", "deploy_unchecked"],
    );
    if (!isDryRun) await recordFacts(context, report);
    out.result(report, (layout) => describeReport(report, layout));
    if (report.outcome === "refused") return "failed";
    return report.outcome === "failed" ? "partial" : undefined;
  },
};

/**
 * Records who deployed what, like other fleet commands: as facts of `fleet/HOST`, if this machine
 * has a ledger.
 */
async function recordFacts(context: SettingsContext, { hosts }: DeployReport): Promise<void> {
  const changed = hosts.filter(({ outcome }) =>
    /^(?:confirmed|rolled_back|unknown)$/.test(outcome),
  );
  if (changed.length === 0 || !existsSync(context.paths.resolve("ledger"))) return;
  try {
    await using node = await openNodeOf(context);
    const changes = changed.map(({ host, from = null, to = null, outcome }) => ({
      target: `fleet/${host.replace(/^.*@/, "")}`,
      field: "deploy",
      value: { from, to, outcome, at: new Date(context.clock.nowMs()).toISOString() },
    }));
    await node.ledger.write({ source: `hand:${userName()}`, changes });
  } catch (error) {
    // Only a note: the deploy has succeeded, and the audit log records it too.
    context.out.note(`the deploy was not written to the ledger: ${(error as Error).message}`);
  }
}
