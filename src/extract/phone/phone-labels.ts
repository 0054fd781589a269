import { folded } from "../text/clean-text.ts";

export type PhoneLabel = "phone" | "fax" | "other" | undefined;

const faxWords =
  /(?:tele)?fax(?:nummer|-?nr|number|no)?|telecopie(?:ur)?|ファックス|ファクス|传真|傳真|팩스|φαξ|факс|faks/;
/** "F 089 …": too short to outweigh another word, as in "P.IVA e C.F.". */
const faxLetter = /\bf/;
const phoneWords =
  /tel(?:efono?|ephone|efoon|efone|efonnummer)?s?|tlf|tfno|tfn|telefonisch|phone|fon|call|call us|ring|anruf(?:en)?|rufnummer|hotline|mobile?|mobil(?:e|nummer|telefon)?|mobiel|natel|cell(?:ulare?|phone)?|handy|gsm|portable|movil|celular|telemovel|whatsapp|festnetz|zentrale|durchwahl|notruf|notdienst|appelez(?:-nous)?|llam[ae]\w{0,4}|chiama\w{0,3}|bel|puhelin|telefonnummer|kom|tel\. kom|電話|電話番号|お電話|联系电话|电话|전화|тел(?:ефон)?|τηλ(?:εφωνο)?|☎|📞|✆|\bt|\bm|\bp|\bc|\bh|office|büro|buero|main|toll[- ]free|freecall|sales|support|service|reception|booking/;
/** Words before numbers that are not telephone numbers. */
const otherWords =
  /iban|bic|swift|konto(?:nummer|nr)?|kto|blz|bankleitzahl|account(?: number| no| nr)?|sort code|routing|ust-?id(?:nr)?|ustidnr|umsatzsteuer\w{0,25}|mwst\w{0,6}|uid(?:-?nr)?|vat(?: id| no| reg\w{0,9}| number)?|tva(?: intra\w{0,20})?|steuer(?:nummer|-?nr)|st-?nr|finanzamt\D{0,30}|siret|siren|rcs\D{0,30}|ape|naf|hr[ab]|handelsregister\w{0,8}|registernummer|amtsgericht\D{0,30}|nip|regon|krs|p\.? ?iva|partita iva|piva|c\.? ?f|codice fiscale|rea|cif|nif|cnpj|cpf|rfc|ein|tax id|abn|acn|duns|d-u-n-s|kvk(?:-?nummer)?|btw(?:-?nummer)?|company (?:no|number|reg\w{0,12})|registration (?:no|number)|registered (?:no|number|in \D{0,30})|reg\.? ?(?:no|nr)|isbn|issn|ean|gtin|upc|sku|art(?:ikel)?\.?-?(?:nr|nummer|no)|item (?:no|number)|order (?:no|number|id)|bestell(?:nummer|-?nr)|invoice (?:no|number)|rechnung(?:snummer|s-?nr)?|kunden(?:nummer|-?nr)|customer (?:no|number|id)|part (?:no|number)|model(?: no)?|serial(?: no| number)?|ref(?:erence)?(?: no)?|id|nr|no|licen[sc]e(?: no| number| #)?|lic\.? ?#?|permit|cbe|ico|dic|plz|zip|po box|postfach|lat(?:itude)?|l(?:ng|on(?:gitude)?)|gps|geo|coordinates|koordinaten|©|copyright|since|seit|depuis|est\.?|price|preis|eur|usd|chf|€|\$|£|ssn|ik(?:-?nummer)?|bsnr|lanr|ihk|crefo|doi|version|v|tracking(?: id)?|ua|gtm|pixel|bank|depot|mandat|gläubiger\w{0,6}|glaubiger\w{0,15}|whois|ip|(?:numero |n° ?)?d['’]entreprise|ondernemings(?:nummer|-?nr)|cvr|org\.? ?-?nr|adoszam|cegjegyzekszam|登録番号|法人番号|〒/;

const tail = (words: RegExp): RegExp =>
  new RegExp(
    `(?:^|[\\s.,;:|/(\\[•·#-])(?:${words.source})[\\s.:#()|\\]/–—-]{0,6}(?:(?<=[\\s.:])(?:is|ist|unter|at|on|au|al|an|us|nr|no|no\\.|n°|numéro|nummer|number|todos?)[\\s.:#-]{0,3}){0,2}(?:\\+|\\(|00)?$`,
    "iu",
  );
const faxTail = tail(faxWords);
const faxLetterTail = tail(faxLetter);
const phoneTail = tail(phoneWords);
const otherTail = tail(otherWords);

/** The sort of a number by the words directly before it. */
export function labelBefore(text: string): PhoneLabel {
  const near = folded(text.slice(-60)).normalize("NFC");
  if (
    /(?:tel|phone|fon)\w{0,4}[\s.]{0,2}(?:[/&+][\s.]{0,2}|(?<=[\s.])(?:and|und|et|e|y)\s)(?:tele)?fax[\s.:]{0,4}$/.test(
      near,
    )
  )
    return "phone";
  if (otherTail.test(near))
    return faxTail.test(near) || isPhoneAfterAll(near)
      ? faxTail.test(near)
        ? "fax"
        : "phone"
      : "other";
  if (faxTail.test(near) || faxLetterTail.test(near)) return "fax";
  return phoneTail.test(near) ? "phone" : undefined;
}

/** "DE 811 234 567", "ATU 123 45 678": a tax number in the European format. */
export const isTaxNumber = (before: string, number: string): boolean =>
  /^[1-9]/.test(number) &&
  /[A-Z][ -]?$/.test(before.slice(-2)) &&
  /(?:^|[^\p{L}])(?:ATU?|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|CHE)[ -]?$/u.test(
    // longer than every prefix
    before.slice(-8),
  );

/** "Tel. Nr.:" means a telephone, although "Nr." alone may mean anything. */
const isPhoneAfterAll = (near: string): boolean =>
  /(?:tel|fon|phone|telefon|ruf|mobil|handy)[\w.]{0,8}[\s.-]{0,3}(?:nr|no|id|number|nummer|n°)?[\s.:#-]{0,4}$/.test(
    near,
  );
