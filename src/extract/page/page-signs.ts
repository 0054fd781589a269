import { folded } from "../text/clean-text.ts";
import { flags } from "./attribute-flags.ts";
import type { Collector } from "./page-events.ts";

/** Signs that this is not a real page of a company, or not yet. */
export interface SignCollector extends Collector {
  finish(text: {
    readonly title: string;
    readonly beginning: string;
    readonly chars: number;
    readonly links: number;
  }): {
    readonly needsScripts: boolean;
    readonly parked: string | undefined;
    readonly blocked: string | undefined;
  };
}

const parkedWords: readonly (readonly [string, RegExp])[] = [
  [
    "for_sale",
    /(?:this )?domain (?:name )?(?:is|may be) for sale|buy this domain|domain (?:steht )?zum verkauf|diese domain (?:kaufen|steht)|domaine est a vendre|dominio (?:esta )?en venta|questo dominio e in vendita|domain for sale|make an offer on this domain|このドメインは.{0,20}販売/,
  ],
  [
    "parked",
    /(?:domain|page|website|site) (?:is |has been )?parked|parked (?:free|domain|page)|domain parking|sedo\.com|parkingcrew|bodis\.com|hugedomains|afternic|this domain (?:name )?(?:has |was |is )?(?:recently |just )?(?:been )?registered|diese domain (?:ist|wurde) (?:soeben |bereits )?(?:registriert|geparkt|reserviert)|domaine (?:vient d'etre|a ete) enregistre/,
  ],
  [
    "default_page",
    /apache2? (?:\w{1,20} )?default page|welcome to nginx|it works!|iis windows server|default web ?site page|test page for the|plesk (?:default|obsidian)|web server's default page|cpanel, inc|future home of (?:something|a)|hier entsteht|account has been suspended|website is suspended|this account is suspended/,
  ],
  ["listing", /^index of \//],
];

const blockedWords: readonly (readonly [string, RegExp])[] = [
  [
    "bot_check",
    /just a moment|attention required! ?\| ?cloudflare|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|bot verification|are you a robot|ddos protection by|please complete the security check|captcha|one moment, please|access to this page has been denied|pardon our interruption|security check/,
  ],
  [
    "forbidden",
    /^(?:403 )?forbidden|access denied|403 error|error 403|you don't have permission to access|request blocked|blocked by/,
  ],
  [
    "error",
    /^(?:404|500|502|503|504)\b|^(?:page )?not found|internal server error|service (?:temporarily )?unavailable|bad gateway|database error|error establishing a database connection/,
  ],
];

const shells =
  /^(?:root|app|__next|__nuxt|main-app|react-root|app-root|q-app|svelte|ember\d*|___gatsby)$/;
const shellDepthMax = 5;
/** A page with less text counts as empty. */
const shellCharsMax = 200;
const askingCharsMax = 400;

export function createSignCollector(): SignCollector {
  let scripts = 0;
  let hasShell = false;
  let asksForScripts = false;
  let read = 0;

  return {
    interest: { elements: "script app-root", attributes: flags.id },
    open({ name, attributes, depth }) {
      if (name === "script") scripts += 1;
      else if (name === "app-root") hasShell = true;
      // A deeper element is only a part of a page that has more.
      else if (depth <= shellDepthMax && shells.test(attributes["id"] ?? "")) hasShell = true;
    },
    line({ text }) {
      read += text.length;
      if (
        // A page with more text is not empty.
        read < askingCharsMax &&
        text.length < 300 &&
        /java ?script/i.test(text) &&
        /(?:enable|activate|requires?|without|turn on|aktivier\w{0,4}|activer|habilit\w{0,3}|abilit\w{0,3}).{0,30}java ?script|java ?script.{0,30}(?:enable|required|disabled|aktivier|deaktiviert|désactivé|deshabilitado)/i.test(
          text,
        )
      ) {
        asksForScripts = true;
      }
    },
    finish({ title, beginning, chars, links }) {
      const isShort = chars < 1_500;
      const text = isShort ? folded(`${title}\n${beginning.slice(0, 2_000)}`) : "";
      const isEmpty = chars < shellCharsMax && links < 3;
      return {
        needsScripts:
          scripts > 0 &&
          ((isEmpty && (hasShell || asksForScripts || chars < 20)) ||
            (asksForScripts && chars < askingCharsMax && links < 3)),
        parked: isShort ? first(parkedWords, text) : undefined,
        // Long pages only mention such words.
        blocked:
          isShort && links < 30
            ? (first(blockedWords, folded(title)) ??
              (chars < 600 ? first(blockedWords.slice(0, 2), text) : undefined))
            : undefined,
      };
    },
  };
}

const first = (signs: readonly (readonly [string, RegExp])[], text: string): string | undefined =>
  signs.find(([, sign]) => sign.test(text))?.[0];
