export interface TemplateOptions {
  readonly phrases?: readonly string[];
  readonly locations?: readonly {
    readonly name: string;
    readonly latitude: number;
    readonly longitude: number;
  }[];
  readonly proximityKm?: number;
  /** Such as `20 mi`; instead of `proximityKm`. */
  readonly radius?: string;
  readonly sourceFile?: string;
  readonly politeness?: { readonly delayMs?: number; readonly contact?: string };
}

const exampleLocation = { name: "Austin, TX", latitude: 30.2672, longitude: -97.7431 };

/** An initial config.toml. It is valid as it is, and shows every key. */
export function campaignTemplate(options: TemplateOptions = {}): string {
  const { phrases = ["plumber"], proximityKm = 10, radius, sourceFile, politeness = {} } = options;
  const { delayMs, contact } = politeness;
  const locations = options.locations?.length ? options.locations : [exampleLocation];
  const tables = locations.map(
    ({ name, latitude, longitude }) => `[[locations]]
name = ${JSON.stringify(name)}
lat = ${latitude}
lon = ${longitude}
# proximityKm = 25    # for this one only`,
  );
  return `# What is looked for. Upper and lower case are the same.
phrases = ${JSON.stringify(phrases)}

# How far around each location: proximityKm in kilometres, or radius = "20 mi" or "30 km".
${radius === undefined ? `proximityKm = ${proximityKm}` : `radius = ${JSON.stringify(radius)}`}

${tables.join("\n\n")}

[sources]
# Places as CSV, JSON lines or GeoJSON, relative to this folder.
${sourceFile === undefined ? '# file = "places.jsonl"' : `file = ${JSON.stringify(sourceFile)}`}

[politeness]
${(delayMs === undefined ? "# delayMs = 1000" : `delayMs = ${delayMs}`).padEnd(21)} # between two requests to one host; else crawl.delayMs
concurrency = 1       # requests to one host at once
${contact === undefined ? '# contact = "you@example.org"   ' : `contact = ${JSON.stringify(contact)}`} # sent to every site in the User-Agent

[freshness]
foundDays = 90        # a tile that had places is searched again after this
emptyDays = 14        # one that had none, after this

# Only places that are worth a visit. The others are kept, and cost no request.
# [filters]
# website = true                  # only places with one; false: only places without
# phone = true
# chains = false                  # no places of a brand
# categories = { only = ["craft=plumber"], not = [] }
# ratingMin = 4.0                 # on the scale of the source: most have 5 stars, Foursquare has 10
# reviewsMin = 10

[exclusions]
domains = []
names = []
places = []
`;
}
