import type { Change, Commit } from "../../ledger/index.ts";

/**
 * Filters the facts of machines. An empty value means that nothing was found, not that there is
 * nothing, and the title of an error page is not a company's name. Facts of
 * people are written unchanged.
 */
export function worthWriting(commit: Commit): Commit {
  if (commit.source.startsWith("hand:")) return commit;
  const changes = commit.changes.filter((change) => isWorth(change, commit.source));
  return changes.length === commit.changes.length ? commit : { ...commit, changes };
}

function isWorth({ field, value, unset }: Change, source: string): boolean {
  if (unset) return true;
  if (typeof value !== "string") return true;
  if (value.trim() === "" || nothing.test(value.trim())) return false;
  return !(field === "name" && source.startsWith("site:") && isPageTitle(value));
}

const nothing = /^(?:n\/a|null|none|undefined|nan|unknown|-+)$/i;

/** True for page titles that do not name a company. */
export function isPageTitle(text: string): boolean {
  const title = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s.!…|:–—-]+/g, " ")
    .trim();
  return titles.test(title);
}

const titles = new RegExp(
  `^(?:${[
    "home",
    "home ?page",
    "start(?:seite)?",
    "startseite",
    "accueil",
    "inicio",
    "index",
    "welcome(?: to .*)?",
    "untitled(?: .*)?",
    "(?:page )?not found",
    "error(?: \\d{3})?",
    "(?:error )?[45]\\d\\d(?: .*)?",
    "forbidden",
    "access denied",
    "bad gateway",
    "service unavailable",
    "(?:bot|human) verification",
    "just a moment",
    "attention required.*",
    "are you (?:a )?(?:human|robot).*",
    "verify(?:ing)? (?:you are|that you are|your).*",
    "security check.*",
    "captcha",
    "(?:site )?under construction",
    "coming soon",
    "domain (?:is )?(?:for sale|parked).*",
    "contact(?: us)?",
    "about(?: us)?",
    "kontakt",
    "impressum",
    "loading",
    "redirecting",
    "parked domain.*",
    "default (?:web )?page.*",
    "cookies?(?: policy)?",
    "privacy policy",
  ].join("|")})$`,
);
