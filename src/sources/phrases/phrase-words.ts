import { folded } from "../../base/text/fold-text.ts";

/**
 * Makes the words of phrases and names comparable. The quality of the matcher depends on this:
 * generic words ("company") must not decide, and synonyms ("attorney", "lawyer") must be equal.
 */

/**
 * Generic words, which say that something is a business, but not which, by language. English ones
 * are used in phrases of every language; the others are words of a trade elsewhere: a cabinet in
 * French is an office, in English a piece of furniture.
 */
const genericByLanguage: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    en:
      "company companies contractor contractors service services shop shops store stores agency agencies " +
      "agent office offices studio studios clinic clinics center centre firm firms business businesses " +
      "specialist specialists expert experts professional professionals engineer engineers facility " +
      "workplace workshop salon parlor parlour provider providers supplier suppliers dealer dealers " +
      "dealership installer installation local near me best public private house place general " +
      "technician technicians manager managers group solutions supply supplies equipment maker management " +
      "remodeling remodelling renovation design fitting installers the a an of and for in to by with on",
    de:
      "firma betrieb fachbetrieb geschäft laden büro dienst dienstleistung dienstleister meister " +
      "meisterbetrieb fachgeschäft praxis klinik kanzlei werkstatt handel händler und der die das für zum zur am im unternehmen",
    es:
      "empresa empresas servicio servicios tienda tiendas negocio oficina despacho centro taller " +
      "profesional clinica clinicas consultorio gabinete estudio local y e el la los las de del para en casa",
    pt:
      "empresa empresas serviço serviços loja escritório profissional clínica consultório gabinete estúdio " +
      "centro oficina casa local e o a os as de do da dos das em para",
    it: "azienda negozio ditta servizio servizi studio centro clinica di il lo la gli le per e da del della",
    fr:
      "entreprise société clinique institut salon magasin boutique cabinet bureau agence centre et le la les " +
      "un une de des du au aux en",
    nl: "bedrijf winkel zaak praktijk kantoor en het een van voor de firma",
    pl: "firma sklep usługi zakład biuro w z do i",
  }).map(([language, words]) => [language, new Set(words.split(" ").map(folded))]),
);

const isGenericIn = (word: string, language: string): boolean =>
  genericByLanguage.get("en")!.has(word) || genericByLanguage.get(language)?.has(word) === true;

/** Groups of synonyms; the first word represents all. They include national spellings. */
const synonymGroups: readonly string[] = [
  "car auto autos automobile automotive vehicle cars",
  "veterinary vet vets veterinarian veterinarians",
  "lawyer lawyers attorney attorneys law legal solicitor solicitors barrister",
  "advisor adviser advisors advisers planner planners consultant consultants consulting advice advisory",
  "employment staffing recruitment recruiting recruiter personnel temp",
  "bicycle bike bikes bicycles cycle",
  "fitness gym gyms",
  "doctor doctors physician physicians",
  "tyre tire tires tyres",
  "jeweller jeweler jewellery jewelry jewelers",
  "moving mover movers removal removals relocation",
  "gardener gardening landscaper landscapers landscaping landscape",
  "paediatric pediatric paediatrician pediatrician paediatrics pediatrics pediatricians",
  "orthopaedic orthopedic orthopaedics orthopedics",
  "gynaecology gynecology gynaecologist gynecologist",
  "flooring floor floors floorer",
  "roof roofing roofer roofers",
  "childcare daycare",
  "physiotherapist physiotherapy physio",
  "heating heat heater",
  "hvac airconditioning",
  "repair repairs fixing",
  "cleaning cleaner cleaners clean wash washing",
  "funeral undertaker mortuary",
  "theatre theater",
  "aluminium aluminum",
  "grey gray",
  "colour color",
  "licence license",
  "kerb curb",
  "mould mold",
  "estate realty",
  "attorney advocate",
  "barber barbers",
  "hairdresser hair hairdressers hairdressing haircut hairstylist",
  "photographer photography photo photographers",
  "accountant accounting accountancy accountants bookkeeping bookkeeper cpa",
  "tax taxes taxation",
  "insurance insurer insurances",
  "wealth financial finance finances investment",
  "beauty cosmetic cosmetics beautician",
  "grocery groceries grocer",
  "pet pets",
  "camera cameras",
];

const canonical: ReadonlyMap<string, string> = new Map(
  synonymGroups.flatMap((group) => {
    const [first = "", ...others] = group.split(" ");
    return others.map((word) => [word, first] as const);
  }),
);

export interface PhraseWord {
  /** Folded. */
  readonly spelling: string;
  /** Folded, and replaced by the first of its synonyms. */
  readonly text: string;
  /** The word without its ending: words with one stem match each other. */
  readonly stem: string;
  readonly isGeneric: boolean;
}

const known = new Map<string, readonly PhraseWord[]>();
const knownMax = 100_000;

export function phraseWords(text: string, language: string): readonly PhraseWord[] {
  const key = `${language}\n${text}`;
  const before = known.get(key);
  if (before) return before;
  const all = joinedWords(folded(text)).flatMap((word) => partsOf(word, language));
  const words = all.map((word): PhraseWord => {
    const isGeneric = isGenericIn(word, language);
    const same = language === "en" ? (canonical.get(word) ?? word) : word;
    return { spelling: word, text: same, stem: stemOf(same, language), isGeneric };
  });
  if (known.size < knownMax) known.set(key, words);
  return words;
}

/**
 * Generic words at the end of compounds: a "Malerfirma" and a "Malerbetrieb" are painters, so the
 * last part must not decide.
 */
const compoundEndings: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    de: /^(.{4,}?)((?:fach|meister)?betrieb|firma|(?:fach)?geschaft|laden|buro|dienst|praxis|service|studio|salon|handel|handler|unternehmen|werkstatt|kanzlei)$/u,
    nl: /^(.{4,}?)(bedrijf|winkel|zaak|praktijk|kantoor)$/u,
  }),
);

function partsOf(word: string, language: string): readonly string[] {
  const [, first, last] = compoundEndings.get(language)?.exec(word) ?? [];
  if (first === undefined || last === undefined) return [word];
  return [first.replace(/(ung|heit|keit|schaft|ion|tat)s$/u, "$1"), last];
}

/** Splits `d'avocats` into two words, and joins `hi-fi`, which would be two short ones. */
const joinedWords = (text: string): readonly string[] =>
  text
    .replaceAll(/\b[dlnscjmt]['’](?=\p{L})/gu, " ")
    .replaceAll(/['’`]/g, "")
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];

/** Endings by language, the longest first; a stem keeps at least four letters. */
const endings: Readonly<Record<string, string>> = {
  en: "ations ation ements ement ings ing eries ery ists ist ians ian ers ors ies er or al es ry s y e",
  de: "ereien erei innen ungen ung isten ist ern ers in en er es e n s",
  es: "erias eria eros eras ero era istas ista ciones cion adores ador oras or es os as ia s o a e",
  fr: "eries erie istes iste ations ation iers ieres iere ier eurs eur euses euse elles s e",
  it: "erie eria isti ista zioni zione ieri iere iera ori ore ici ico ai aio i e o a",
  pt: "arias aria eiros eiras eiro eira istas ista coes cao adores ador es os as ia s o a e",
  nl: "erijen erij isten ist ingen ing aars aar ers er en es s e",
  pl: "ownia arnia arz nik stwo owie ami ach ow y i a e o",
};

const endingLists = new Map(
  Object.entries(endings).map(([language, text]) => [language, text.split(" ")]),
);
const stemLengthMin = 4;

/** Endings of Japanese words that mean a shop, a firm, an office or a profession. */
const japaneseEnding =
  /(?:屋さん|専門店|代理店|販売店|工事店|事務所|業者|会社|企業|工場|職人|教室|さーびす|屋|店|業|院|所|士|師|場|館)$/;

function stemOf(word: string, language: string): string {
  if (language === "ja") {
    const stem = word.replace(japaneseEnding, "");
    return stem.length >= 2 ? stem : word;
  }
  for (const ending of endingLists.get(language) ?? []) {
    if (word.endsWith(ending) && word.length - ending.length >= stemLengthMin) {
      return word.slice(0, -ending.length);
    }
  }
  return word;
}
