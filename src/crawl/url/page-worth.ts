/**
 * Finds pages that are likely to have facts about a company, by words in their address or in the
 * text of a link to them, in many languages.
 */

/** In order of how likely they have contact data. */
export const pageWorths = ["contact", "imprint", "about", "people", "legal"] as const;
export type PageWorth = (typeof pageWorths)[number];

/** Folded: lower case, without accents. The words of one phrase are joined by "-". */
const words: Readonly<Record<PageWorth, string>> = {
  contact: `contact contacts contact-us contactus contact-me get-in-touch reach-us find-us kontakt kontakte kontaktformular
    kontakty kontakti kontaktai kontakta contacto contactos contactenos contactanos contactez contactez-nous nous-contacter nous-joindre
    contatti contattaci contato contactar fale-conosco faleconosco neem-contact-op contactgegevens yhteystiedot ota-yhteytta
    kapcsolat elerhetoseg iletisim bize-ulasin epikoinonia επικοινωνια контакты контакти контакт связаться-с-нами зв'язок
    ansprechpartner anfahrt so-finden-sie-uns kontakta-oss kontakt-os kontakt-oss kontaktujte-nas skontaktuj-sie lien-he hubungi-kami kontaktua`,
  imprint: `impressum imprint mentions-legales mentionslegales aviso-legal avisolegal note-legali informazioni-legali nota-legal
    colofon site-notice legal-notice tokushoho tokutei company-details anbieterkennzeichnung`,
  about: `about about-us aboutus who-we-are our-story our-company company ueber-uns uber-uns ueberuns wir-ueber-uns unternehmen firma
    a-propos apropos qui-sommes-nous sobre-nosotros sobre-nos quienes-somos nosotros acerca-de empresa chi-siamo azienda quem-somos
    over-ons wie-zijn-wij om-oss om-os omoss o-nas onas o-nama despre-noi rolunk bemutatkozas hakkimizda kurumsal meista tietoa-meista
    о-компании о-нас про-нас за-нас σχετικα etairia ve-chung-toi tentang-kami`,
  people: `team our-team the-team staff people leadership management our-people meet-the-team mitarbeiter mitarbeitende das-team
    unser-team equipe notre-equipe equipo nuestro-equipo squadra il-team zespol tym ekibimiz henkilokunta medarbetare medarbejdere
    команда сотрудники equipa praxisteam vorstand directors partners`,
  legal: `legal privacy privacy-policy datenschutz datenschutzerklaerung datenschutzerklarung terms agb terms-and-conditions
    politica-de-privacidad politique-de-confidentialite privacybeleid confidentialite condizioni`,
};
/** Scripts written without spaces: matched anywhere in the text. */
const phrases: Readonly<Record<PageWorth, string>> = {
  contact:
    "お問い合わせ お問合せ 問い合わせ 联系我们 联系方式 聯絡我們 聯繫我們 문의 연락처 ติดต่อ اتصل تواصل צור-קשר",
  imprint: "特定商取引 特商法",
  about: "会社概要 会社案内 企業情報 关于我们 公司简介 關於我們 회사소개 من-نحن",
  people: "スタッフ紹介 团队 팀소개",
  legal: "プライバシー 隐私",
};

const worthByWord = new Map(
  pageWorths.flatMap((worth) =>
    words[worth].split(/\s+/).map((word) => [fold(word), worth] as const),
  ),
);
const worthByPhrase = pageWorths.flatMap((worth) =>
  phrases[worth].split(" ").map((phrase) => [fold(phrase), worth] as const),
);

export interface LinkWords {
  readonly url: string;
  readonly text?: string;
}

/** undefined: no word matches. The last part of the path counts first, then the link's text. */
export function worthOf({ url, text = "" }: LinkWords): PageWorth | undefined {
  const segments = new URL(url).pathname.split("/").filter((segment) => segment !== "");
  // A page inside "/about/" is mostly of that kind; deeper pages are articles.
  const parts = segments.slice(-2).reverse().map(decoded);
  for (const part of segments.length <= 4 ? parts : []) {
    const found = worthOfWords(part.replace(/\.[a-z]{2,5}$/i, ""));
    if (found) return found;
  }
  return text.length <= 60 ? worthOfWords(text) : undefined;
}

const wordsMax = 4;

function worthOfWords(text: string): PageWorth | undefined {
  if (!/[^\d\s._-]/.test(text)) return undefined; // only digits, as in page numbers
  const folded = fold(text);
  const isLatin = /^[a-z0-9'-]*$/.test(folded);
  const phrase = isLatin ? undefined : worthByPhrase.find(([one]) => folded.includes(one));
  if (phrase) return phrase[1];
  const parts = folded.split("-").filter((part) => part !== "");
  // A long link text that contains "contact" is a headline, not the contact page.
  if (parts.length === 0 || parts.length > wordsMax) return undefined;
  let best: PageWorth | undefined;
  for (let from = 0; from < parts.length; from++) {
    for (let to = parts.length; to > from; to--) {
      const worth = worthByWord.get(parts.slice(from, to).join("-"));
      if (worth && (!best || pageWorths.indexOf(worth) < pageWorths.indexOf(best))) best = worth;
    }
  }
  return best;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // bytes of another charset, or a stray %
  }
}

/** Lower case, without accents, words joined by "-". */
function fold(text: string): string {
  if (/^[a-z]+$/.test(text)) return text;
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/[^\p{L}\p{N}']+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
}
