import { createWordCounter, isLittleWord } from "../text/languages.ts";
import type { Collector } from "./page-events.ts";

/** Facts from the words of a page: its language, its topics, the amount of text. */
export interface TextCollector extends Collector {
  finish(options: { readonly title: string; readonly stated: readonly string[] }): {
    readonly language: string | undefined;
    readonly keywords: readonly string[];
  };
  chars(): number;
  /** The first words, used to detect pages without real content. */
  beginning(): string;
}

const keywordsMax = 15;
const dull =
  /^(?:home|startseite|accueil|inicio|contact|kontakt|willkommen|welcome|bienvenue|bienvenidos|benvenuti|about|more|mehr|menu|page|site|website|impressum|datenschutz|cookies?|copyright|news|blog|team|services?|leistungen|seite)$/;

export function createTextCollector(): TextCollector {
  const counter = createWordCounter();
  const weights = new Map<string, number>();
  let chars = 0;
  let beginning = "";

  function weigh(text: string, weight: number): void {
    if (weights.size > 5_000) return;
    for (const word of new Set(text.toLowerCase().split(/[^\p{L}\p{N}-]+/u))) {
      if (word.length < 4 || word.length > 30 || /^[\d-]+$/.test(word)) continue;
      weights.set(word, (weights.get(word) ?? 0) + weight);
    }
  }

  return {
    line({ text, where, heading }) {
      chars += text.length;
      if (beginning.length < 4_000) beginning += `${text.slice(0, 500)}\n`;
      counter.add(text);
      if (where === "body" && heading > 0 && heading < 4) weigh(text, heading === 1 ? 4 : 2);
    },
    chars: () => chars,
    beginning: () => beginning,
    finish({ title, stated }) {
      weigh(title, 2);
      const words = [...weights]
        .filter(([word, weight]) => weight > 1 && !isLittleWord(word) && !dull.test(word))
        .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
        .map(([word]) => word);
      const all = [...new Set([...stated.map((word) => word.toLowerCase()), ...words])];
      return { language: counter.language(), keywords: all.slice(0, keywordsMax) };
    },
  };
}
