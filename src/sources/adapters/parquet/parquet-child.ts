/**
 * The program of a child process that reads Parquet through DuckDB: in the main program DuckDB
 * would keep its memory, and a crash would end the program. It answers requests one after the
 * other, and sends rows in batches, each on request.
 */
import type { ChunkInfo, ParquetAnswer, ParquetRequest } from "./parquet-request.ts";

const batchRows = 500;
/** Columns of Overture and Foursquare with facts about a place. */
const placeColumns = new Set(
  ("id names categories taxonomy basic_category confidence websites socials emails phones brand addresses " +
    "operating_status fsq_place_id name latitude longitude address locality region postcode country date_closed tel " +
    "website email facebook_id instagram twitter fsq_category_labels unresolved_flags").split(" "),
); // prettier-ignore

type Duck = typeof import("@duckdb/node-api");
type Connection = Awaited<
  ReturnType<Awaited<ReturnType<Duck["DuckDBInstance"]["create"]>>["connect"]>
>;

async function loadDuck(): Promise<Duck> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    const words =
      "Parquet is read through DuckDB, which is not installed: npm install @duckdb/node-api";
    throw Object.assign(new Error(words, { cause }), { code: "duckdb_missing" });
  }
}

interface Opened {
  readonly folder: string;
  readonly connection: Connection;
  close(): void;
}

let opened: Opened | undefined;

/** Each instance may read one folder. It is kept for the next request. */
async function connect({ memoryMb, folder }: ParquetRequest): Promise<Connection> {
  if (opened?.folder === folder) return opened.connection;
  opened?.close();
  opened = undefined;
  const { DuckDBInstance } = await loadDuck();
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: `${memoryMb}MB`,
    // Download no extensions.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  await connection.run("set enable_geoparquet_conversion = false").catch(() => {});
  // A sparse copy may be filled between two requests, so its holes must not be cached.
  await connection.run("set enable_external_file_cache = false").catch(() => {});
  await connection.run(`set allowed_directories = [${text(folder)}]`);
  await connection.run("set enable_external_access = false");
  opened = { folder, connection, close };
  return connection;
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const name = (column: string): string => `"${column.replaceAll('"', '""')}"`;

let goOn = () => {};
/** Resolves when the parent asks for the next batch. */
const more = (): Promise<void> => new Promise((resolve) => (goOn = resolve));
const send = (answer: ParquetAnswer): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send!(answer, (error: Error | null) => (error ? reject(error) : resolve()));
  });

async function chunksOf(connection: Connection, file: string): Promise<readonly ChunkInfo[]> {
  const reader = await connection.runAndReadAll(
    `select row_group_id, path_in_schema, stats_min, stats_max, data_page_offset, dictionary_page_offset,
     total_compressed_size from parquet_metadata(${text(file)})`,
  );
  return reader.getRowObjects().map((row) => {
    const pages = [row["data_page_offset"], row["dictionary_page_offset"]]
      .map((offset) => (offset === null ? 0 : Number(offset)))
      .filter((offset) => offset > 0);
    return {
      group: Number(row["row_group_id"]),
      column: String(row["path_in_schema"]),
      min: row["stats_min"] === null ? undefined : Number(row["stats_min"]),
      max: row["stats_max"] === null ? undefined : Number(row["stats_max"]),
      offset: Math.min(...pages),
      bytes: Number(row["total_compressed_size"]),
    };
  });
}

async function readRows(connection: Connection, request: ParquetRequest): Promise<void> {
  const from = `read_parquet(${text(request.file)})`;
  const described = await connection.runAndReadAll(`describe select * from ${from}`);
  const types = new Map(
    described
      .getRowObjects()
      .map((row) => [String(row["column_name"]), String(row["column_type"])]),
  );
  const isKnown = types.has("names") || types.has("fsq_place_id");
  const columns = [...types.keys()].filter((column) =>
    isKnown ? placeColumns.has(column) : !/^(?:BLOB|GEOMETRY)/.test(types.get(column)!),
  );
  const hasPoint = types.get("geometry") === "BLOB";
  const isPlaces =
    (types.has("names") || types.has("name") || !isKnown) &&
    (hasPoint || ["latitude", "lat"].some((column) => types.has(column)));
  if (!isPlaces || columns.length === 0) {
    const has = [...types].map(([column, type]) => `${column} ${type.slice(0, 30)}`).slice(0, 30);
    const words = `it has no columns of places (names or name; geometry, or latitude and longitude); it has ${has.join(", ")}`;
    throw Object.assign(new Error(words), { code: "places_columns" });
  }
  const fields = columns.map((column) => `${name(column)} := ${name(column)}`).join(", ");
  const point = hasPoint ? "geometry" : "null::blob";
  // One query for each box: with several boxes in one query DuckDB cannot skip groups of rows.
  for (const test of boxTests(request, types)) {
    const where = [...test, ...confidenceTest(request, types)];
    await sendRows(
      await connection.stream(
        `select cast(to_json(struct_pack(${fields})) as varchar), ${point} from ${from}
         ${where.length > 0 ? `where ${where.join(" and ")}` : ""}`,
      ),
    );
  }
}

async function sendRows(result: Awaited<ReturnType<Connection["stream"]>>): Promise<void> {
  let rows: [string, string][] = [];
  const flush = async () => {
    if (rows.length === 0) return;
    await send({ kind: "rows", rows });
    rows = [];
    await more();
  };
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    for (const [json, geometry] of chunk.getRows()) rows.push([json as string, wkbOf(geometry)]);
    if (rows.length >= batchRows) await flush();
  }
  await flush();
}

/** The geometry in hex; "": none. */
function wkbOf(value: unknown): string {
  const { bytes } = (value ?? {}) as { readonly bytes?: Uint8Array };
  return bytes === undefined ? "" : Buffer.from(bytes).toString("hex");
}

/**
 * bbox is float32, so the box is widened by more than its error; the exact point is tested later.
 */
const slack = 1e-5;

/** The conditions of each box. */
function boxTests(
  { boxes }: ParquetRequest,
  types: ReadonlyMap<string, string>,
): readonly (readonly string[])[] {
  if (boxes.length === 0) return [[]];
  const hasBox = types.get("bbox")?.includes("xmin") === true;
  const isFlat = types.has("latitude") && types.has("longitude");
  if (!hasBox && !isFlat) return [[]];
  return boxes.map(({ south, west, north, east }) =>
    hasBox
      ? [
          `bbox.xmin <= ${east + slack}`,
          `bbox.xmax >= ${west - slack}`,
          `bbox.ymin <= ${north + slack}`,
          `bbox.ymax >= ${south - slack}`,
        ]
      : [
          `longitude between ${west - slack} and ${east + slack}`,
          `latitude between ${south - slack} and ${north + slack}`,
        ],
  );
}

const confidenceTest = (
  { minConfidence }: ParquetRequest,
  types: ReadonlyMap<string, string>,
): readonly string[] =>
  minConfidence > 0 && types.has("confidence")
    ? [`(confidence is null or confidence >= ${minConfidence})`]
    : [];

async function answer(request: ParquetRequest): Promise<void> {
  try {
    const connection = await connect(request);
    if (request.op === "chunks") {
      await send({ kind: "chunks", chunks: await chunksOf(connection, request.file) });
    } else await readRows(connection, request);
    await send({ kind: "end", rssBytes: process.resourceUsage().maxRSS * 1_024 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    await send({ kind: "failed", code: code ?? "places_parquet", message });
  }
}

process.on("message", (message) => {
  if (message === "more") goOn();
  else void answer(message as ParquetRequest);
});
