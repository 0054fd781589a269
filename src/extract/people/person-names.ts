import { folded } from "../text/clean-text.ts";

/** Words that occur in headings, roles and company names, but not in names of people. */
const notInNames = new Set(
  (
    "our your the and for with from about contact contacts team home services service products product company " +
    "unser unsere ihr ihre und der die das mit von für kontakt leistungen impressum datenschutz öffnungszeiten aktuelles angebot angebote " +
    "nos notre votre les des et pour avec horaires accueil equipe mentions legales " +
    "nuestro nuestra los las con para servicios horario aviso legal inicio noticias " +
    "nostri nostro servizi orari chi siamo privacy policy cookie cookies terms conditions news blog shop store online " +
    "gmbh ag kg ohg ug gbr ltd llc inc corp sarl sas sa srl spa bv nv plc co company group holding e.k. ek " +
    "street road avenue strasse straße platz weg rue via calle plaza city stadt " +
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche " +
    "january february march april may june july august september october november december januar februar märz mai juni juli oktober dezember " +
    "read more learn click here get free quote call today opening hours quick links follow us customer reviews privacy download view all new best " +
    "büro office studio praxis hotel restaurant cafe garage center centre zentrum school schule institut institute foundation verein club " +
    "most related recommended trending popular also news media sports today stories articles review interview calendar software editor directory map login join search site web small global business court general information letter summit conference weekend gallery agency education engines fixed spirit hub coat " +
    "manager director owner founder ceo cto cfo geschäftsführer inhaber gérant directeur titolare gerente president chef leiter head sales marketing"
  ).split(" "),
);

const particle =
  /^(?:von|van|de|del|della|di|da|der|den|du|le|la|el|al|bin|ibn|dos|das|y|zu|zur|vom|ter|ten|af|av)$/i;
const title =
  /^(?:(?:prof|dr|dipl|ing|mag|med|phil|jur|rer|nat|mr|mrs|ms|herr|frau|monsieur|madame|mme|m|sr|sra|sig|dott|dipl-ing|dipl-kfm|ra|mba|msc|bsc)\.?[\s-]?)+\s/i;
const word = /^\p{Lu}[\p{L}'’-]{0,24}\.?$/u;

/**
 * A person's name as written, without titles; undefined if the text is more likely something else.
 */
export function personName(text: string): string | undefined {
  if (text.length < 5 || text.length > 60 || /[\d@/|:;!?&#+*=<>"„“()[\]]/.test(text))
    return undefined;
  if (!/\p{Lu}/u.test(text)) return undefined;
  const bare = text
    .replace(
      /,?\s(?:ph\.?d|m\.?d|mba|msc|m\.?sc|b\.?sc|m\.?a|b\.?a|esq|jr|sr|dipl\.?-?\w{0,6}\.?)\.?$/i,
      "",
    )
    .replace(title, "")
    .trim();
  const words = bare.split(/\s+/);
  if (words.length < 2 || words.length > 5) return undefined;
  const named = words.filter((one, index) => index === 0 || !particle.test(one));
  if (named.length < 2 || named.length > 4) return undefined;
  if (!named.every((one) => word.test(one)) || named.some(isCommon)) return undefined;
  // A text in capitals is a slogan or a heading.
  if (named.every((one) => one.length > 2 && one === one.toUpperCase())) return undefined;
  return named.at(-1)!.replace(/\.$/, "").length < 2 ? undefined : bare;
}

const isCommon = (one: string): boolean =>
  notInNames.has(one.toLowerCase().replace(/\.$/, "")) || notInNames.has(folded(one));
