import { describe, expect, test } from "vitest";
import { folded } from "../../base/text/fold-text.ts";
import { nameAndAddress } from "../fields/duplicates.ts";
import { indexWords, keyOf, queryWords, sortKeyOf } from "./name-keys.ts";
import { isSlug, slugOf } from "../files/slug.ts";

/** One florist and one bakery in each script, as different as possible. */
const names = {
  japanese: ["花屋さくら", "パン工房ハナ"],
  chinese: ["北京花店", "上海面包房"],
  korean: ["서울꽃집", "부산빵집"],
  cyrillic: ["Цветы Москвы", "Пекарня Хлеб"],
  greek: ["Ανθοπωλείο Ρόδο", "Αρτοποιείο Ήλιος"],
  arabic: ["مَحَلّ الزهور", "مخبز النور"],
  hebrew: ["פרחי ירושלים", "מאפיית לחם"],
  thai: ["ร้านดอกไม้", "เบเกอรี่บ้าน"],
  devanagari: ["फूल घर", "रोटी घर"],
} as const;
const all = Object.values(names).flat();

describe("names in any script", () => {
  test("lesson 67: no two of them share a key, a slug or a place in the order", () => {
    expect(new Set(all.map(keyOf)).size).toBe(all.length);
    expect(new Set(all.map((name) => slugOf(name, "same"))).size).toBe(all.length);
    expect(new Set(all.map(sortKeyOf)).size).toBe(all.length);
    const keys = all.map((name) => nameAndAddress({ name, texts: { address: `${name} 1` } }));
    expect(new Set(keys.map((key) => `${key?.name}/${key?.address}`)).size).toBe(all.length);
  });

  test("a text without any word is its own key, and without an address there is no key", () => {
    expect(keyOf("★")).toBe("★");
    expect(keyOf("!!!")).not.toBe(keyOf("???"));
    expect(nameAndAddress({ name: "花屋", texts: {} })).toBeUndefined();
  });

  test("a slug is read aloud, not a hash", () => {
    expect(slugOf("Пекарня Хлеб", "1")).toBe("pekarnya-khleb");
    expect(slugOf("Ανθοπωλείο Ρόδο", "1")).toMatch(/^anthopoleio-rodo$/);
    expect(slugOf("Bäckerei Großmann & Søn", "1")).toBe("backerei-grossmann-and-son");
    expect(slugOf("Café 東京", "1")).toMatch(/^cafe-[a-z]+$/);
    expect(slugOf("★", "1")).toMatch(/^x-/);
    for (const name of all) expect(isSlug(slugOf(name, "1")), name).toBe(true);
  });

  test("a mark that makes another word stays, one that people leave out goes", () => {
    expect(folded("パン")).not.toBe(folded("ハン"));
    expect(folded("ﾊﾟﾝ")).toBe(folded("ぱん"));
    expect(folded("บ้าน")).not.toBe(folded("บาน"));
    expect(folded("مَحَلّ")).toBe(folded("محل"));
    expect(folded("שָׁלוֹם")).toBe(folded("שלום"));
    expect(folded("Ήλιος")).toBe(folded("ηλιοσ"));
    expect(folded("Ёлка")).toBe(folded("елка"));
    expect(folded("한국")).toBe("한국");
  });

  test("a word inside of a joined name is found, another is not", () => {
    const finds = (name: string, typed: string) => {
      const words = indexWords(name);
      return queryWords(typed).every((begin) => words.some((word) => word.startsWith(begin)));
    };
    expect(finds("東京フローリング株式会社", "フローリング")).toBe(true);
    expect(finds("東京フローリング株式会社", "ふろーりんぐ")).toBe(true);
    expect(finds("東京フローリング株式会社", "株")).toBe(true);
    expect(finds("東京フローリング株式会社", "社")).toBe(true);
    expect(finds("東京フローリング株式会社", "京東")).toBe(false);
    expect(finds("한국부동산", "부동산")).toBe(true);
    expect(finds("ร้านดอกไม้กรุงเทพ", "ดอกไม้")).toBe(true);
    expect(finds("Пекарня Хлеб", "хле")).toBe(true);
    expect(finds("Пекарня Хлеб", "леб")).toBe(false);
    expect(finds("MUJI東京", "muj 東京")).toBe(true);
  });

  test("Thai is sorted by its consonants, whatever vowel is written before them", () => {
    const sorted = ["เบเกอรี่", "กาแฟ", "ไก่ทอด", "ขนม"].sort((a, b) =>
      sortKeyOf(a) < sortKeyOf(b) ? -1 : 1,
    );
    expect(sorted).toEqual(["กาแฟ", "ไก่ทอด", "ขนม", "เบเกอรี่"]);
  });
});
