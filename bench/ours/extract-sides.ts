import { createSeededRandom, type Random } from "../../src/base/random.ts";
import { placesOf } from "../../src/showcase/fake-web/places.ts";
import { makeRegion } from "../../src/showcase/fake-web/region.ts";
import { scoreOf, type Score } from "../../src/showcase/fake-web/expected-data.ts";
import { makeSite } from "../../src/showcase/fake-web/site.ts";
import { extractPage, type PageFacts } from "../../src/extract/index.ts";
import type { Side } from "../frame/side.ts";
import { median } from "../frame/statistics.ts";

export interface QualityInput {
  readonly size: number;
  readonly seeds: readonly number[];
}

/** Every page of several regions, judged by what is really on it. */
export const quality: Side<QualityInput> = async ({ size, seeds }) => {
  const pages = seeds.flatMap((seed) => pagesOf(size, seed));
  let read: readonly PageFacts[] = [];
  return {
    async run() {
      read = pages.map(({ html, url, country }) =>
        extractPage({ html, url, country, deobfuscate: "all" }),
      );
      const score = (
        expected: (index: number) => readonly string[],
        found: (facts: PageFacts) => readonly string[],
      ): Score =>
        scoreOf(read.map((facts, index) => ({ expected: expected(index), found: found(facts) })));
      const emails = score(
        (at) => pages[at]!.expected.emails.map(({ value }) => value),
        (facts) => facts.emails.map(({ value }) => value),
      );
      const phones = score(
        (at) => pages[at]!.expected.phones,
        (facts) => facts.phones.map(({ value }) => value),
      );
      const socials = score(
        (at) => pages[at]!.expected.socials,
        (facts) => facts.socials.map(({ url }) => url),
      );
      return {
        emailRecall: emails.recall,
        emailPrecision: emails.precision,
        phoneF1: phones.f1,
        socialF1: socials.f1,
        pages: pages.length,
      };
    },
    async check() {
      const junk = read
        .flatMap(({ emails }) => emails)
        .filter(({ value }) =>
          /\.(?:png|jpe?g|gif|svg|webp|js|css)$|example\.|sentry|@\d/.test(value),
        );
      if (junk.length > 0)
        throw new Error(`no address of anybody: ${junk.map(({ value }) => value).join(", ")}`);
    },
  };
};

export interface SpeedInput {
  readonly pages: number;
  readonly chars: number;
  readonly warmRounds: number;
  readonly rounds: number;
}

/**
 * Long pages of the region, read again and again, as a worker does that has been at it for a while: the
 * rounds before only warm up. Of each page the time by the clock is taken, which is what a page costs
 * the one who waits for it; the median of them, since another program that takes its turn in the middle
 * of a page is no page's cost. Processor time is that of the whole process and all rounds, collecting
 * garbage and compiling on V8's other threads included. Making the pages is in neither.
 */
export const speed: Side<SpeedInput> = async ({ pages, chars, warmRounds, rounds }) => {
  const long = longPages({ pages, chars });
  const msPer100Kb: number[] = [];
  const readAll = () =>
    long.reduce((sum, { html, url, country }) => {
      const startedMs = performance.now();
      const { links } = extractPage({ html, url, country, deobfuscate: "all" });
      msPer100Kb.push((performance.now() - startedMs) / (html.length / 100_000));
      return sum + links.length;
    }, 0);
  const links = readAll();
  for (let round = 1; round < warmRounds; round++) readAll();
  return {
    async run() {
      msPer100Kb.length = 0;
      const before = process.cpuUsage();
      for (let round = 0; round < rounds; round++) {
        if (readAll() !== links) throw new Error("the same pages gave something else");
      }
      const { user, system } = process.cpuUsage(before);
      const chars100Kb = (rounds * long.reduce((sum, { html }) => sum + html.length, 0)) / 100_000;
      return {
        clockMs: median(msPer100Kb),
        cpuMs: (user + system) / 1_000 / chars100Kb,
      };
    },
  };
};

function longPages({ pages, chars }: Pick<SpeedInput, "pages" | "chars">) {
  const random = createSeededRandom(3);
  return pagesOf(Math.ceil(pages / 5), 3)
    .slice(0, pages)
    .map((page) => ({ ...page, html: lengthened(page.html, chars, random) }));
}

function pagesOf(size: number, seed: number) {
  const random = createSeededRandom(seed);
  const region = makeRegion({ size, random });
  const places = placesOf(region);
  return region.businesses.flatMap((business, index) =>
    makeSite(business, random).pages.map((page) => ({
      html: page.html,
      expected: page.expected,
      url: `${places[index]!.website}${page.path.slice(1)}`,
      country: business.language.country,
    })),
  );
}

/** What fills real pages: menus, cards, prose with links, tables, scripts. */
function lengthened(html: string, chars: number, random: Random): string {
  const parts: string[] = [];
  let length = html.length;
  for (let at = 0; length < chars; at++) {
    const part = fillers[at % fillers.length]!(at, random);
    parts.push(part);
    length += part.length;
  }
  return html.replace("</main>", `${parts.join("\n")}</main>`);
}

const words =
  "oak table chair made by hand since the first day in our workshop near the old harbour with care and time for people who like wood bread and the sea".split(
    " ",
  );
const prose = (count: number, random: Random): string =>
  Array.from({ length: count }, () => words[random.below(words.length)]).join(" ");

const fillers: readonly ((at: number, random: Random) => string)[] = [
  (at, random) =>
    `<div class="card col-md-4 item-${at}" id="item-${at}" data-id="${at}"><a href="/item/${at}?ref=list" class="card-link" title="${prose(3, random)}"><img src="/img/${at}.jpg" srcset="/img/${at}@2x.jpg 2x" alt="${prose(4, random)}" width="300" height="200"></a><h4 class="card-title">${prose(4, random)}</h4><p class="price">${random.below(900)}.00 &euro;</p></div>`,
  (_, random) =>
    `<p>${prose(30, random)} <a href="/page/${random.below(500)}">${prose(3, random)}</a>, ${prose(20, random)} <em>${prose(2, random)}</em> &mdash; ${prose(15, random)}.</p>`,
  (at, random) =>
    `<ul class="menu-${at}">${Array.from({ length: 8 }, (_, index) => `<li class="menu-item"><a href="/menu/${at}/${index}">${prose(2, random)}</a></li>`).join("")}</ul>`,
  (at, random) =>
    `<table class="table"><tr><th>${prose(2, random)}</th><td>12.0${1 + random.below(8)}.2024 ${10 + random.below(9)}:30</td><td>Art.-Nr. ${100_000 + random.below(900_000)}-${at}</td></tr></table>`,
  (at) =>
    `<script>window.dataLayer = window.dataLayer || []; dataLayer.push({ event: "view", item: ${at}, list: ["a", "b", "c"], on: function (x) { return x && x.length > 0 ? x[0] : null; } });</script>`,
];
