import type { CountryCode } from "libphonenumber-js/max";
import type { PersonFact } from "../page-facts.ts";
import type { Collector, PageLine } from "../page/page-events.ts";
import { findAddresses } from "../email/find-addresses.ts";
import { mailtoText } from "../email/mailto.ts";
import { readNumber } from "../phone/read-number.ts";
import { findNumbers } from "../phone/find-numbers.ts";
import { nodesOf, textOf, type StructuredNode } from "../structured/structured-node.ts";
import { cleanName } from "../text/clean-text.ts";
import { digitsIn, marks } from "../text/marks.ts";
import { personName } from "./person-names.ts";

export interface PeopleCollector extends Collector {
  finish(options: FinishPeople): readonly PersonFact[];
}

export interface FinishPeople {
  readonly url: string;
  readonly country: CountryCode | undefined;
  readonly nodes: readonly StructuredNode[];
  /** Addresses that passed all checks. */
  readonly emails: ReadonlySet<string>;
}

interface Draft {
  readonly name: string;
  role?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
  lines: number;
}

const peopleMax = 60;
/** "Owner: …", "Owner – …" */
const introducing = marks.colon | marks.bracket | marks.wide;
/** How many lines after a name may still be about that person. */
const linesMax = 6;
/** A role is directly below the name. */
const roleLinesMax = 2;

/**
 * People as team pages and imprints show them: a name on its own line, with a role near it. A name
 * without a role does not count: it may be a customer, a street, a product.
 */
export function createPeopleCollector(): PeopleCollector {
  const drafts: Draft[] = [];
  let current: Draft | undefined;

  function begin(name: string, role?: string): void {
    if (drafts.length >= peopleMax) return;
    current = { name, role, lines: 0 };
    drafts.push(current);
  }

  function line({ text, marks: bits, where, block, heading, isBold, isLink }: PageLine): void {
    if (where === "header") return;
    // Every name has a capital letter, and no name before waits for a role.
    if (!current && (bits & (marks.wide | marks.capital)) === 0) return;
    const introduced = (bits & introducing) === 0 ? undefined : introducedPerson(text);
    const named = introduced && personName(introduced.name);
    if (introduced && named) return begin(named, introduced.role);
    const [before, after] = halves(text);
    // Lists of links are headlines and menus.
    const name = isLink && heading < 2 ? undefined : personName(before);
    const role = after === undefined ? undefined : roleOf(after);
    if (name !== undefined && (role !== undefined || isNamePlace(block, isBold)))
      return begin(name, role);
    if (!current) return;
    if (++current.lines > linesMax || (heading > 0 && heading < 4)) {
      current = undefined;
      return;
    }
    if (current.lines <= roleLinesMax && !isLink) current.role ??= roleOf(text);
    current.email ??= (bits & marks.at) === 0 ? undefined : addressIn(text);
    current.phone ??= digitsIn(bits) < 6 ? undefined : findNumbers(text)[0]?.text;
  }

  return {
    line,
    interest: { elements: "a" },
    open({ attributes: { href }, isHidden }) {
      if (!current || href === undefined || isHidden) return;
      const to = mailtoText(href);
      if (to !== undefined) current.email ??= addressIn(to);
      else if (/^tel:/i.test(href)) current.phone ??= href.slice(4, 40);
    },
    finish({ url, country, nodes, emails }) {
      const people = new Map<string, PersonFact>();
      const add = ({ name, role, email, phone }: Omit<Draft, "lines">): void => {
        const number = phone === undefined ? undefined : readNumber(phone, country)?.value;
        const address =
          email !== undefined && emails.has(email.toLowerCase()) ? email.toLowerCase() : undefined;
        const known = people.get(name.toLowerCase());
        people.set(name.toLowerCase(), {
          name,
          ...pick("role", known?.role ?? role),
          ...pick("email", known?.email ?? address),
          ...pick("phone", known?.phone ?? number),
          url,
        });
      };
      for (const node of nodes) for (const person of statedIn(node)) add(person);
      for (const draft of drafts) if (draft.role !== undefined) add(draft);
      return [...people.values()].slice(0, peopleMax);
    },
  };
}

/** "Anna Schmidt, Geschäftsführerin", "Tom Lee – Owner" */
function halves(text: string): readonly [string, string?] {
  if (text.length > 140 || text.length < 5) return [""];
  if (!/[,(–—|-]/.test(text)) return [text];
  const match = /^(.{5,60}?)\s{0,2}(?:,|\s[–—|-]|\s?\()\s{0,2}(.{3,80}?)\)?$/.exec(text);
  return match ? [match[1]!, match[2]!] : [text];
}

const isNamePlace = (block: string, isBold: boolean): boolean => isBold || nameBlocks.has(block);

const nameBlocks = new Set("h2 h3 h4 h5 h6 dt figcaption th td li p div".split(" "));

const addressIn = (text: string): string | undefined => {
  const found = findAddresses(text)[0];
  return found && `${found.local}@${found.domain}`;
};

function statedIn(node: StructuredNode): readonly Omit<Draft, "lines">[] {
  const isPerson = node.types.includes("Person");
  const roles = ["founder", "employee", "employees", "member", "owner"] as const;
  const inner = roles.flatMap((property) => nodesOf(node, property));
  return (isPerson ? [node, ...inner] : inner).flatMap((one) => {
    const name = cleanName(textOf(one, "name") ?? "", 80);
    if (!name || !/\s/.test(name) || /\d/.test(name)) return [];
    // The author of an article is a person too, but not one of the company.
    if (one === node && textOf(one, "jobTitle") === undefined) return [];
    const email = textOf(one, "email")?.replace(/^mailto:/i, "");
    return [
      {
        name,
        role: cleanName(textOf(one, "jobTitle") ?? "", 80) || undefined,
        email,
        phone: textOf(one, "telephone"),
      },
    ];
  });
}

function pick<Key extends string>(
  key: Key,
  value: string | undefined,
): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: string };
}

const roles =
  /\b(?:ceo|cto|cfo|coo|cmo|owner|co-?owner|founder|co-?founder|president|vice president|director|managing director|manager|head of|partner|principal|associate|attorney|lawyer|consultant|engineer|developer|designer|architect|chef|sous-?chef|doctor|dentist|physician|nurse|therapist|technician|foreman|supervisor|coordinator|assistant|secretary|accountant|sales|marketing|receptionist|agent|broker|instructor|teacher|trainer|stylist|master|specialist|advisor|editor|photographer|administrator|estimator)\b|gesch[aä]e?ftsf[uü]e?hr|inhaber|gesellschafter|prokurist|vorstand|vorsitz|meister|leiter|leitung|mitarbeiter|assistent|sekret[aä]r|buchhaltung|vertrieb|verkauf|einkauf|kundenbetreu|beratung|berater|geselle|azubi|auszubildend|techniker|ingenieur|architekt|[aä]rzt|rechtsanw|steuerberat|ansprechpartner|g[eé]rant|directeur|directrice|pr[eé]sident|fondat|associ[eé]|responsable|chef d|assistante?|comptable|commercial|conseill|artisan|charg[eé]e? d|due[nñ]o|propietari|fundador|director|gerente|jefe|encargad|socio|asesor|abogad|titolare|fondatore|amministrat|direttore|responsabile|socio|impiegat|s[oó]cio|diretor|propriet[aá]ri|eigenaar|oprichter|directeur|bedrijfsleider|medewerker|zaakvoerder|w[lł]a[sś]ciciel|kierownik|prezes|代表取締役|代表者|社長|店長|院長/i;

/** The role in a short line; undefined if the line is something else. */
function roleOf(text: string): string | undefined {
  if (text.length < 3 || text.length > 80 || /[@:]|https?|\d{4,}/.test(text)) return undefined;
  // Headlines and menu entries only mention a role.
  if (
    /[?!"“”„…]|\.\.|^(?:the|how|why|is|can|a|an|der|die|das|le|la|el|il)\s|\bjobs?\b|^\W/i.test(
      text,
    )
  )
    return undefined;
  return roles.test(text) && text.split(/\s+/).length <= 6 ? text : undefined;
}

/** "Geschäftsführer: Anna Beispiel", "Owner – Tom Lee", "Vertreten durch: …" */
const introduced =
  /(?:^|[\s(])((?:alleiniger? |vertretungsberechtigte[rn]? )?gesch[aä]e?ftsf[uü]e?hr(?:er|erin|ung|ender gesellschafter)(?:in)?|inhaber(?:in)?|vertreten durch(?: (?:den|die) gesch[aä]ftsf[uü]hrer(?:in)?)?|vorstand|prokurist(?:in)?|owner|proprietor|founder|managing director|director|president|ceo|principal|g[eé]rante?|directeur(?: de (?:la )?publication)?|directrice|responsable(?: de (?:la )?publication)?|propri[eé]taire|titolare|legale rappresentante|amministratore(?: unico)?|administrador(?:a)?|gerente|propietari[oa]|titular|representante legal|eigenaar|zaakvoerder|w[lł]a[sś]ciciel|verantwortlich(?: f[uü]r den inhalt)?(?: (?:nach|gem(?:ä|ae)ß|i\.s\.d\.)[^:]{0,40})?)\s{0,3}[:–—-]\s{0,3}(\p{Lu}[^,;|/()\d]{3,60})/iu;

function introducedPerson(
  text: string,
): { readonly role: string; readonly name: string } | undefined {
  if (text.length > 300 || !/[:–—-]/.test(text)) return undefined;
  const match = introduced.exec(text);
  return match ? { role: match[1]!.trim(), name: match[2]!.trim() } : undefined;
}
