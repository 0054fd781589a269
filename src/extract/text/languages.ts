/** The most common short words of each language: enough to detect the language of a page. */
const little: Readonly<Record<string, string>> = {
  en: "the and of to in is for with you our your are we that this from on as at by an be or have it",
  de: "der die das und ist in zu den mit von für auf sie wir ihre unser unsere ein eine nicht auch bei sich dem des im zum oder",
  fr: "le la les des et est en du une un pour avec vous nous votre nos notre sur dans que qui au aux par plus ou",
  es: "el la los las de y en es para con su una un que por del nuestro nuestra más o sus al como nos se",
  it: "il la i gli le di e è in per con una un che del della nostro nostra da al sono nel più o si dei",
  pt: "o a os as de e em é para com uma um que do da nosso nossa por mais no na ou se ao dos",
  nl: "de het een en van in is voor met op u onze wij zijn dat die te aan bij ook uw naar of om",
  pl: "i w na z do się jest nie to dla że o oraz od po nasz nasza są lub jak przez",
  sv: "och i att det som på är av för med till en ett vi du inte om från har",
  da: "og i at det er på af for med til en et vi du ikke om fra har den der",
  cs: "a v na se je že s z do o pro jsme nebo jako ve k po od naše",
  tr: "ve bir bu için ile da de en çok olarak daha her biz olan",
  fi: "ja on ei se että hän oli mutta sekä tai ovat meidän kanssa",
  hu: "a az és hogy nem is egy van meg vagy csak már ez",
};

const none: readonly string[] = [];
const languagesOf = new Map<string, string[]>();
for (const [language, words] of Object.entries(little))
  for (const word of words.split(" "))
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);

export interface WordCounter {
  add(text: string): void;
  /** ISO 639-1, or undefined if there is too little text. */
  language(): string | undefined;
}

const wordsMax = 400;
const charsMax = 2_000;

export function createWordCounter(): WordCounter {
  const hits = new Map<string, number>();
  let words = 0;
  let kana = 0;
  let han = 0;
  let hangul = 0;
  let cyrillic = 0;
  let greek = 0;

  function count(word: string): void {
    words += 1;
    const code = word.charCodeAt(0);
    if (code < 0x370) {
      for (const language of languagesOf.get(word) ?? none)
        hits.set(language, (hits.get(language) ?? 0) + 1);
    } else if (code >= 0x3040 && code <= 0x30ff) kana += 1;
    else if (code >= 0x4e00 && code <= 0x9fff) {
      if (/[\u3040-\u30ff]/.test(word)) kana += 1;
      else han += 1;
    } else if (code >= 0xac00 && code <= 0xd7af) hangul += 1;
    else if (code >= 0x400 && code <= 0x4ff) cyrillic += 1;
    else if (code >= 0x370 && code <= 0x3ff) greek += 1;
  }

  return {
    add(text) {
      if (words > wordsMax) return;
      const plain = text.slice(0, charsMax).toLowerCase();
      for (let at = 0; at < plain.length;) {
        const end = wordEnd(plain, at);
        if (end > at) count(plain.slice(at, end));
        at = Math.max(end, at + 1);
      }
    },
    language() {
      const scripts: readonly (readonly [string, number])[] = [
        ["ja", kana],
        ["ko", hangul],
        ["ru", cyrillic],
        ["el", greek],
      ];
      const script = scripts.find(([, count]) => count > 3 && count * 4 > words);
      if (script) return script[0];
      if (han > 3 && han * 3 > words) return kana > 0 ? "ja" : "zh";
      const [first, second] = [...hits].sort(([, a], [, b]) => b - a);
      if (!first || first[1] < 4) return undefined;
      return second && second[1] > first[1] * 0.9 ? undefined : first[0];
    },
  };
}

/** The end of the letters that begin at `start`; `start` itself if there are none. */
function wordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && isLetterAt(text, at)) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}

function isLetterAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code >= 97 && code <= 122;
  // Common scripts first, because Unicode property tests are slow.
  if (code >= 0xc0 && code <= 0x24f) return code !== 0xd7 && code !== 0xf7;
  if (code >= 0x400 && code <= 0x481) return true;
  if ((code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return true;
  return anyLetter.test(String.fromCodePoint(text.codePointAt(at)!));
}

const anyLetter = /\p{L}/u;

export const isLittleWord = (word: string): boolean => languagesOf.has(word);
