import type { SocialFact } from "../page-facts.ts";
import type { Collector } from "../page/page-events.ts";
import { profileOf } from "./networks.ts";

export interface SocialCollector extends Collector {
  /** `sameAs`: the profiles in the structured data. */
  finish(sameAs: readonly string[]): readonly SocialFact[];
}

const weights = { structured: 3, header: 2, footer: 2, body: 1 } as const;
const profilesMax = 50;

/** Links to profiles, the company's own first: its pages link it in header or footer. */
export function createSocialCollector(): SocialCollector {
  const profiles = new Map<string, SocialFact & { seen: number }>();

  function add(href: string, where: SocialFact["where"]): void {
    const profile = profileOf(href);
    if (!profile) return;
    const key = `${profile.network} ${profile.handle.toLowerCase()}`;
    const known = profiles.get(key);
    if (!known) {
      if (profiles.size < profilesMax) profiles.set(key, { ...profile, where, seen: 1 });
      return;
    }
    known.seen += 1;
    if (weights[where] > weights[known.where]) profiles.set(key, { ...known, where });
  }

  return {
    interest: { elements: "a area" },
    open({ attributes: { href }, isHidden, where }) {
      if (href !== undefined && !isHidden) add(href, where);
    },
    finish(sameAs) {
      for (const url of sameAs) add(url, "structured");
      return [...profiles.values()]
        .sort((a, b) => weights[b.where] - weights[a.where] || b.seen - a.seen)
        .map(({ network, url, handle, where }) => ({ network, url, handle, where }));
    },
  };
}
