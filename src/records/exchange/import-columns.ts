import { AppError } from "../../base/app-error.ts";
import { nearestHint } from "../../base/text/nearest.ts";
import { listPrefixes, numberFields, socialNetworks, textFields } from "../fields/fields.ts";
import { plainName, spellings } from "../ingest/spellings.ts";

/** How a column is imported: its field, and how its values are read. */
export interface ImportColumn {
  readonly header: string;
  readonly field: string;
  readonly kind: ColumnKind;
}

export type ColumnKind =
  | "text"
  | "number"
  | "list"
  | "social"
  | "note"
  | "extra"
  | "extras"
  | "entries"
  | "elements"
  | "key";

const words = (...lines: readonly string[]) => lines.join(" ").split(" ");

/** The fields that only programs write. */
const machineFields: ReadonlySet<string> = new Set(["enrichedAt", "foundAt"]);

const kinds: Readonly<Record<Exclude<ColumnKind, "extra">, readonly string[]>> = {
  text: ["name", "description", ...textFields.filter((field) => !machineFields.has(field))],
  number: numberFields,
  list: Object.values(listPrefixes).map((prefix) => prefix.slice(0, -1)),
  social: socialNetworks,
  note: ["note"],
  // The column of our own JSON.
  extras: ["extra"],
  entries: ["entries"],
  elements: ["domains", "places"],
  // `id` is the target in our exports; ids of other programs are ignored.
  key: ["id", "slug"],
};

/** Several columns may fill the same field of these kinds. */
const manyKinds: ReadonlySet<ColumnKind> = new Set([
  "list",
  "note",
  "extras",
  "entries",
  "elements",
]);

const { key: keyFields, ...filled } = kinds;
/** Every field that an import can fill, except `x/NAME`. */
export const importFields: readonly string[] = Object.values(filled).flat();

/** Headers that other programs use for these fields, in addition to the general spellings. */
const headings: Readonly<Record<string, readonly string[]>> = {
  name: words(
    "company organization organisation business firm account",
    "firma firmenname unternehmen entreprise société nom empresa nombre azienda bedrijf",
  ),
  website: words("site internet siteweb sitioweb"),
  type: ["kind"],
  description: ["about", "summary", "beschreibung"],
  address: ["location", "adresse", "anschrift", "dirección", "direccion", "indirizzo"],
  street: words("rue calle via straat"),
  city: ["locality", "città", "citta", "plaats"],
  zip: words("postal codigopostal cap"),
  state: ["region", "province", "stateregion", "bundesland", "provincia"],
  country: ["countryregion", "nation", "land", "staat", "pays", "país", "pais", "paese"],
  longitude: ["long"],
  email: words("courriel correo"),
  phone: words("phone1 rufnummer téléphone telefono teléfono telefoon"),
  tech: ["technologies"],
  id: ["target"],
  twitter: ["x", "xurl"],
  facebook: ["facebookpage", "facebookcompanypage"],
  linkedin: ["linkedincompanypage"],
  note: ["notes", "comment", "comments", "remarks", "notiz", "notizen", "bemerkung", "kommentar"],
};

/** Pipedrive writes `Organization - Name`, `Person - Email - Work` and `… of Address`. */
const ofPipedrive: Readonly<Record<string, readonly string[]>> = {
  name: words("organizationname personorganization dealorganization"),
  address: words("organizationaddress organizationfullcombinedaddressofaddress"),
  street: ["organizationstreetroadnameofaddress"],
  city: ["organizationcitytownvillagelocalityofaddress"],
  zip: ["organizationzippostalcodeofaddress"],
  state: ["organizationstatecountyofaddress"],
  country: ["organizationcountryofaddress"],
  website: ["organizationwebsite"],
  linkedin: ["organizationlinkedinprofile"],
  category: ["organizationindustry"],
  tag: words("organizationlabel organizationlabels"),
  phone: words("personphone personphonework personphonehome personphonemobile personphoneother"),
  email: words("personemail personemailwork personemailhome personemailother"),
};

const fieldByName: ReadonlyMap<string, string> = new Map(
  [...importFields, ...keyFields].flatMap((field) =>
    [spellings, headings, ofPipedrive]
      .flatMap((names) => names[field] ?? [])
      .concat(plainName(field))
      .map((name) => [name, field] as const),
  ),
);

/** The field for a spelling in files, commands and imports; undefined if it is unknown. */
const fieldOfSpelling = (name: string): string | undefined =>
  Object.hasOwn(spellings, name)
    ? name
    : importFields.find((field) => (spellings[field] ?? []).includes(plainName(name)));

export interface ColumnOptions {
  /** Set by the user, such as `Firma=name`; takes precedence. An empty field skips the column. */
  readonly mappings?: readonly string[];
  /** Unknown columns become extra keys with their own names. */
  readonly keepsOthers?: boolean;
  /** A second look-up for unknown headers. */
  readonly fieldNamed?: (header: string) => string | undefined;
}

export interface ColumnPlan {
  /** In the order of the headers; undefined for columns that are skipped. */
  readonly columns: readonly (ImportColumn | undefined)[];
  readonly leftOut: readonly string[];
}

const noHeaders: ReadonlySet<string> = new Set();
const derivedHeaders: ReadonlySet<string> = new Set(["changed"]);

/** Columns of our own exports that say what follows from the others. They are not imported. */
export const derivedColumns = (headers: readonly string[]): ReadonlySet<string> =>
  headers.includes("slug") && (headers.includes("id") || headers.includes("target"))
    ? derivedHeaders
    : noHeaders;

/**
 * Determines the meaning of each column. Throws `invalid` for a mapping of an unknown column or to
 * an unknown field.
 */
export function planColumns(
  headers: readonly string[],
  { mappings = [], keepsOthers = false, fieldNamed = () => undefined }: ColumnOptions = {},
): ColumnPlan {
  const derived = derivedColumns(headers);
  const byHand = readMappings(mappings, headers);
  const planned = headers.map((header): ImportColumn | undefined => {
    const given = byHand.get(header);
    if (given === "" || (given === undefined && derived.has(header))) return undefined;
    const field =
      given ?? fieldByName.get(plainName(header)) ?? socialIn(header) ?? fieldNamed(header);
    if (field !== undefined) return { header, field, kind: kindOf(field) };
    const name = extraName(header);
    return keepsOthers && name !== "" ? { header, field: `x/${name}`, kind: "extra" } : undefined;
  });
  /** A field with one value takes one column: the one chosen by the user, otherwise the first. */
  const columns = planned.map((column) => {
    if (!column || manyKinds.has(column.kind)) return column;
    const rivals = planned.filter((one) => one?.field === column.field);
    const chosen = rivals.find((one) => byHand.has(one!.header)) ?? rivals[0];
    return chosen === column ? column : undefined;
  });
  const leftOut = headers.filter(
    (header, at) => !columns[at] && byHand.get(header) !== "" && !derived.has(header),
  );
  return { columns, leftOut };
}

/** The same for a JSON object, whose keys can differ on every line. */
export function columnOf(header: string, options: ColumnOptions = {}): ImportColumn | undefined {
  const [, field] =
    (options.mappings ?? []).map(cutMapping).find(([from]) => from === header) ?? [];
  return planColumns([header], {
    mappings: field === undefined ? [] : [`${header}=${field}`],
    keepsOthers: options.keepsOthers ?? false,
    ...(options.fieldNamed && { fieldNamed: options.fieldNamed }),
  }).columns[0];
}

/** Checks mappings as far as possible before a header was read. */
export function checkMappings(mappings: readonly string[]): void {
  readMappings(mappings, undefined);
}

function readMappings(mappings: readonly string[], headers: readonly string[] | undefined) {
  const found = new Map<string, string>();
  for (const mapping of mappings) {
    const [header, field] = cutMapping(mapping);
    if (field === undefined) throw wrong(`'${mapping}' is not COLUMN=FIELD, such as Firma=name`);
    if (headers && !headers.includes(header)) {
      const known = headers.length > 0 ? `; there are: ${headers.join(", ")}` : "";
      throw wrong(`there is no column '${header}'${known}`);
    }
    if (field !== "" && !field.startsWith("x/") && !importFields.includes(field)) {
      const hint = nearestHint(field, importFields, (close) => `: the nearest is ${close}`);
      throw wrong(`there is no field '${field}' to import to${hint}`);
    }
    const meant = field.startsWith("x/") ? fieldOfSpelling(field.slice(2)) : undefined;
    if (meant !== undefined) throw wrong(`'${field}' is the field ${meant}: map to ${meant}`);
    found.set(header, field);
  }
  return found;
}

function cutMapping(mapping: string): readonly [string, string | undefined] {
  const at = mapping.lastIndexOf("=");
  return at < 1 ? [mapping, undefined] : [mapping.slice(0, at), mapping.slice(at + 1)];
}

/** `social_github`: a network without its own column. */
const socialIn = (header: string) => (/^social_[a-z0-9_-]+$/.test(header) ? header : undefined);

function kindOf(field: string): ColumnKind {
  if (socialIn(field) !== undefined) return "social";
  const found = Object.entries(kinds).find(([, fields]) => fields.includes(field));
  return (found?.[0] as ColumnKind | undefined) ?? "extra";
}

/** A key of flat YAML: letters, digits, dashes. */
const extraName = (header: string) =>
  header
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);

const wrong = (message: string) => new AppError("invalid", "import_mapping", message);
