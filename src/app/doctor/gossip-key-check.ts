import { access } from "node:fs/promises";
import {
  expectsOtherMachines,
  gossipKeySource,
  ownKeyAdvice,
  ownKeyFile,
} from "../node/gossip-key-source.ts";
import { describeOpenFile } from "../../config/index.ts";
import type { Check } from "./check.ts";

export const checkGossipKey: Check = {
  name: "gossip key",
  async run({ settings, paths }) {
    const { gossip, bucket } = settings;
    const source = gossipKeySource({ gossip, hasBucket: bucket.url !== undefined });
    if (source === "off") {
      return { state: "ok", detail: "none is needed: gossip does not run with these settings" };
    }
    if (source === "settings") {
      return { state: "ok", detail: "from gossip.keys: whoever has it is a node of the fleet" };
    }
    const file = ownKeyFile(paths);
    const isMade = await access(file).then(
      () => true,
      () => false,
    );
    const own = isMade ? `own key (${file})` : `own key (${file}, created at the first start)`;
    const open = await describeOpenFile(file);
    if (open !== undefined) {
      const advice = "then delete it and restart, so that a new key is created";
      return { state: "warn", detail: `own key: ${open}`, advice };
    }
    if (expectsOtherMachines(gossip)) {
      return { state: "warn", detail: `${own} only`, advice: ownKeyAdvice };
    }
    return { state: "ok", detail: `${own}: other machines are reached only through the bucket` };
  },
};
