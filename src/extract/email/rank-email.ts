import type { EmailFact } from "../page-facts.ts";
import { trimChars } from "../text/trim-chars.ts";
import type { CheckedAddress } from "./check-address.ts";

export interface EmailRank {
  readonly kind: EmailFact["kind"];
  readonly owner: EmailFact["owner"];
  readonly score: number;
}

/** Names of role mailboxes, in many languages. */
const roles = new Set(
  (
    "info information infos hello hallo hi hey mail email post postmaster office buero bureau kontakt contact contacts " +
    "contactus contacto contato contatti contatto kontakty kapcsolat iletisim yhteystiedot " +
    "admin administration administracion amministrazione webmaster web support help helpdesk hilfe service services kundenservice " +
    "kundendienst kundenbetreuung customercare customerservice care sav clients client sales vertrieb verkauf ventas vendas vendite " +
    "commercial commerciale comercial verkoop sprzedaz marketing presse press prensa stampa media pr news newsletter " +
    "redaktion redaction editor jobs job karriere career careers bewerbung personal hr recruiting recrutement rrhh empleo " +
    "buchhaltung accounting accounts billing invoice rechnung rechnungen facturation facturacion comptabilite finance " +
    "bestellung bestellungen order orders pedidos commande commandes shop store boutique tienda " +
    "booking bookings reservation reservations reservas reservierung prenotazioni reserva rezeption reception empfang recepcion accueil " +
    "anfrage anfragen inquiry inquiries enquiry enquiries solicitud request angebot quotes quote devis estimates " +
    "team zentrale sekretariat secretariat secretaria segreteria office1 praxis kanzlei werkstatt studio atelier " +
    "datenschutz privacy dpo dsb rgpd gdpr legal impressum compliance security feedback beratung termin termine " +
    "hotel restaurant cafe bar gallery museum schule school welcome willkommen bonjour hola ciao ola " +
    "editorial letters readers reader tips corrections membership members advertise advertising subscriptions circulation newsroom newsdesk editors userhelp accessibility comments features sports events webshop garage labor lab clinic club verein " +
    "general enquires export import logistik einkauf purchasing technik technical tech it edv dispatch warehouse " +
    "biuro sklep obchod firma firmenpost poczta posta verwaltung geschaeftsleitung management direction direccion direzione"
  ).split(" "),
);

const providers =
  /^(?:gmail|googlemail|yahoo|ymail|hotmail|outlook|live|msn|aol|icloud|me|mac|gmx|web|t-online|freenet|arcor|mail|posteo|mailbox|proton|protonmail|pm|zoho|yandex|libero|virgilio|alice|tiscali|tin|orange|wanadoo|free|sfr|laposte|neuf|bbox|bluewin|ziggo|kpnmail|xs4all|planet|telenet|skynet|wp|o2|onet|interia|op|seznam|centrum|terra|uol|bol|ig|telefonica|comcast|verizon|att|sbcglobal|bellsouth|cox|charter|earthlink|btinternet|btconnect|sky|talktalk|virginmedia|ntlworld|qq|163|126|sina|naver|daum|hanmail|docomo|ezweb|softbank|nifty|ocn|a1|aon|chello|hispeed|rediffmail)\.[a-z.]{2,6}$/;

export const isProvider = (registered: string): boolean => providers.test(registered);

export function rankEmail(
  address: CheckedAddress & { readonly isCredit: boolean | undefined },
  { site, weight }: { readonly site: string | undefined; readonly weight: number },
): EmailRank {
  const owner = ownerOf(address, site);
  const kind = kindOf(address, site);
  const score =
    weight +
    (owner === "own" ? 100 : owner === "provider" ? 40 : 0) +
    (kind === "role" ? 10 : 0) +
    (/^(?:info|kontakt|contact|office|hello|hallo|mail|contacto|contatti|contato|post|bonjour)$/.test(
      address.local,
    )
      ? 5
      : 0) -
    (/^(?:datenschutz|privacy|dpo|dsb|rgpd|gdpr|legal|jobs?|karriere|careers?|bewerbung|presse|press|webmaster|newsletter)$/.test(
      address.local,
    )
      ? 12
      : 0) -
    (address.isCredit === true && owner !== "own" ? 60 : 0);
  return { kind, owner, score };
}

function ownerOf({ registered }: CheckedAddress, site: string | undefined): EmailRank["owner"] {
  if (site !== undefined) {
    if (registered === site) return "own";
    // company.de and company.com count as one company, so do my-company.de and mycompany.de.
    if (brandOf(registered) === brandOf(site) && brandOf(site).length > 3) return "own";
  }
  return isProvider(registered) ? "provider" : "other";
}

/** Whether an address belongs to a role or to a person. `site`: the domain of its company. */
export const emailKindOf = (address: string, site: string | undefined): EmailRank["kind"] =>
  kindOf({ local: address.slice(0, Math.max(address.lastIndexOf("@"), 0)) }, site);

function kindOf(
  { local }: Pick<CheckedAddress, "local">,
  site: string | undefined,
): EmailRank["kind"] {
  const base = local.split("+", 1)[0]!;
  if (roles.has(base)) return "role";
  const words = base.split(/[._-]/);
  if (words.some((word) => roles.has(trimChars(word, { end: /\d/ })))) return "role";
  const brand = site === undefined ? "" : brandOf(site);
  const joined = words.join("");
  return brand.length > 3 && (joined.includes(brand) || brand.includes(joined)) && joined.length > 3
    ? "role"
    : "person";
}

const brandOf = (registered: string): string =>
  registered.slice(0, registered.indexOf(".")).replaceAll("-", "");
