import { gossipKeySource, hasFleetBucket } from "../../../app/index.ts";
import { countOf } from "../../../base/count-words.ts";
import { usageError } from "../../../base/usage-error.ts";
import { followSettings } from "../../../config/index.ts";
import { createSettingsMarker } from "../../../config/index.ts";
import { bucketOption, fleetOf } from "../../bucket-option.ts";
import type { Command } from "../../command.ts";
import { untilStopped } from "../../until-stopped.ts";
import { openNode } from "./open-node.ts";

export const nodeRun: Command = {
  needs: "settings",
  keepsLog: true,
  options: [bucketOption],
  examples: [
    { line: "forager node run", summary: "stay in touch with the fleet, until Ctrl-C" },
    {
      line: "forager node run --bucket s3://fleet",
      summary: "with the bucket, whatever bucket.url says",
    },
  ],
  details: [
    "`forager work` does the same beside its work. Tells other nodes at once what is written here,\n" +
      "takes what they write, keeps ledger and bucket together, and renders files of what comes.\n" +
      "Other commands may write to this data folder meanwhile: what they write is told, too.",
    "Changed gossip.keys are followed while it runs, at once on SIGHUP; other settings after a restart.",
    "Without gossip.keys the data folder makes a key of its own, and no other machine can join:\n" +
      "`forager node key` makes one for a fleet.",
  ],

  async run(context) {
    const { out, settings, loaded, clock, log, signal } = context;
    const hasGossip = gossipKeySource({ gossip: settings.gossip, hasBucket: false }) !== "off";
    if (!hasGossip && !hasFleetBucket(fleetOf(context))) throw nobody();
    await using node = await openNode(context);
    const marker = createSettingsMarker(clock);
    const marks = await marker.read(loaded, { isAsked: true });
    await node.start();
    const following = followSettings({
      marks,
      marker,
      reload: context.reload,
      clock,
      logger: log,
      async apply({ keys: changed, loaded: now }) {
        if (changed.includes("gossip.keys")) await node.follow(now.settings);
        const others = changed.filter((key) => key !== "gossip.keys" && isOfNode(key));
        if (others.length === 0) return;
        log.warn("these settings are followed after a restart", { keys: others });
      },
    });
    out.note(`${node.touch.ledger.node()} stays in touch until it is stopped`);
    await Promise.race([untilStopped(signal), node.gone]).finally(() => following.stop());
    await node.stop();
    const known = node.touch.ledger.vector().values();
    const datagrams = [...known].reduce((sum, one) => sum + one, 0);
    out.result({ datagrams }, `stopped, with ${countOf(datagrams, "datagram")} known`);
    return "stopped";
  },
};

const isOfNode = (key: string) => /^(?:gossip\.|bucket\.|data$)/.test(key);

const nobody = () =>
  usageError(
    "there is nobody to be in touch with: set gossip.keys (`forager node key` makes one), " +
      "gossip.peers or bucket.url",
  );
