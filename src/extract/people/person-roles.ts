const roles =
  /\b(?:ceo|cto|cfo|coo|cmo|owner|co-?owner|founder|co-?founder|president|vice president|director|managing director|manager|head of|partner|principal|associate|attorney|lawyer|consultant|engineer|developer|designer|architect|chef|sous-?chef|doctor|dentist|physician|nurse|therapist|technician|foreman|supervisor|coordinator|assistant|secretary|accountant|sales|marketing|receptionist|agent|broker|instructor|teacher|trainer|stylist|master|specialist|advisor|editor|photographer|administrator|estimator)\b|gesch[aä]e?ftsf[uü]e?hr|inhaber|gesellschafter|prokurist|vorstand|vorsitz|meister|leiter|leitung|mitarbeiter|assistent|sekret[aä]r|buchhaltung|vertrieb|verkauf|einkauf|kundenbetreu|beratung|berater|geselle|azubi|auszubildend|techniker|ingenieur|architekt|[aä]rzt|rechtsanw|steuerberat|ansprechpartner|g[eé]rant|directeur|directrice|pr[eé]sident|fondat|associ[eé]|responsable|chef d|assistante?|comptable|commercial|conseill|artisan|charg[eé]e? d|due[nñ]o|propietari|fundador|director|gerente|jefe|encargad|socio|asesor|abogad|titolare|fondatore|amministrat|direttore|responsabile|socio|impiegat|s[oó]cio|diretor|propriet[aá]ri|eigenaar|oprichter|directeur|bedrijfsleider|medewerker|zaakvoerder|w[lł]a[sś]ciciel|kierownik|prezes|代表取締役|代表者|社長|店長|院長/i;

/** The role in a short line; undefined if the line is something else. */
export function roleOf(text: string): string | undefined {
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

export function introducedPerson(
  text: string,
): { readonly role: string; readonly name: string } | undefined {
  if (text.length > 300 || !/[:–—-]/.test(text)) return undefined;
  const match = introduced.exec(text);
  return match ? { role: match[1]!.trim(), name: match[2]!.trim() } : undefined;
}
