import { createHash } from "node:crypto";
import {
  compilePhrases,
  createPhraseMatcher,
  matcherVersion,
  type CompiledPhrases,
  type PhraseMatches,
} from "../../sources/index.ts";
import type { Campaign } from "../campaign.ts";

type Meant = Pick<Campaign, "phrases" | "languages" | "tags">;

/** The phrases of a campaign with their tags, compiled for matching places. */
export function campaignPhrases({ phrases, languages, tags }: Meant): CompiledPhrases {
  return compilePhrases(phrases, createPhraseMatcher({ languages, overrides: tags }));
}

/**
 * A hash of the tags of a phrase. It is part of a witness, so that a later change of the tags is
 * noticed.
 */
export function meaningHash({ matches }: PhraseMatches): string {
  const used = matches
    .filter(({ state }) => state === "used")
    .map(({ source, tag }) => `${source} ${tag}`)
    .sort();
  return createHash("sha256")
    .update([matcherVersion, ...used].join("\n"))
    .digest("hex")
    .slice(0, 12);
}

/** Caches the last few results, because compiling phrases takes some hundredths of a second. */
export function createPhraseCache(): (campaign: Meant) => CompiledPhrases {
  const known = new Map<string, CompiledPhrases>();
  return (campaign) => {
    const { phrases, languages, tags } = campaign;
    const key = JSON.stringify([phrases, languages, [...tags]]);
    const found = known.get(key) ?? campaignPhrases(campaign);
    if (known.size >= knownMax) known.clear();
    known.set(key, found);
    return found;
  };
}

const knownMax = 50;
