import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { DuckDBInstance } from "@duckdb/node-api";

/** Writes the result of a query as a Parquet file. */
export async function writeParquet(file: string, query: string, rowGroup = 2_048): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run(
      `copy (${query}) to '${file}' (format parquet, row_group_size ${rowGroup}, compression zstd)`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Places in the format of Overture, spread over 4° × 4°, in rows from south to north. */
export const overtureQuery = (rows: number): string => `
  select 'g' || i as id,
    {xmin: x::float, xmax: x::float, ymin: y::float, ymax: y::float} as bbox,
    ${wkb("x", "y")} as geometry,
    {"primary": 'Shop ' || i, common: null::map(varchar, varchar)} as names,
    {"primary": 'plumbing', alternates: ['hvac_services']} as taxonomy,
    case when i % 10 = 0 then 0.3 else 0.9 end as confidence,
    ['https://shop' || i || '.example/'] as websites, null::integer as emails,
    ['+1512555' || lpad((i % 10000)::varchar, 4, '0')] as phones,
    [{freeform: i || ' Main St', locality: 'Austin', postcode: '78701', region: 'TX', country: 'US'}] as addresses,
    case when i % 10 = 1 then 'permanently_closed' else 'open' end as operating_status,
    1 as version
  from (select range i, -98 + (range * 7919 % 40000) / 10000.0 x, 30 + range * 4.0 / ${rows} y from range(${rows}))`;

/** A point as well-known binary. DuckDB has no function for it without an extension. */
export const wkb = (x: string, y: string): string =>
  `unhex('0101000000' || ${littleEndian(x)} || ${littleEndian(y)})`;

/** The eight bytes of a double in reverse order, in hex. */
function littleEndian(value: string): string {
  const hex = `lpad(hex(${bits(value)}), 16, '0')`;
  const bytes = Array.from({ length: 8 }, (_, at) => `substr(${hex}, ${15 - at * 2}, 2)`);
  return `(${bytes.join(" || ")})`;
}

/** IEEE 754 by arithmetic: sign, exponent and fraction of a number other than 0. */
function bits(value: string): string {
  const size = `abs(${value}::double)`;
  const exponent = `floor(log2(${size}))`;
  const fraction = `((${size} / pow(2, ${exponent}) - 1) * 4503599627370496)`;
  return `((case when ${value} < 0 then 9223372036854775808::ubigint else 0::ubigint end) + (${exponent} + 1023)::ubigint * 4503599627370496::ubigint + ${fraction}::ubigint)`;
}

export interface FileServer extends AsyncDisposable {
  readonly url: string;
  bytes: number;
  requests: number;
  /** How many of the next answers are cut off in the middle. */
  cuts: number;
  status: number | undefined;
  /** Closes every connection without an answer. */
  isDead: boolean;
  etag: string;
}

/** A file over HTTP, with range requests like those of object stores. */
export async function serveFile(file: string): Promise<FileServer> {
  const content = readFileSync(file);
  const server = createServer((request, response) => {
    state.requests += 1;
    if (state.isDead) return void response.destroy();
    const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    if (state.status !== undefined) {
      response.statusCode = state.status;
      return void response.end();
    }
    const ifMatch = request.headers["if-match"];
    if (ifMatch !== undefined && ifMatch !== state.etag) {
      response.statusCode = 412;
      return void response.end();
    }
    const start = from === "" ? content.length - Number(to) : Number(from);
    const end = from === "" || to === "" ? content.length : Number(to) + 1;
    const part = content.subarray(start, end);
    response.writeHead(206, {
      etag: state.etag,
      "content-range": `bytes ${start}-${end - 1}/${content.length}`,
      "content-length": part.length,
    });
    state.bytes += part.length;
    if (state.cuts > 0 && part.length > 1_000) {
      state.cuts -= 1;
      response.write(part.subarray(0, 600), () => response.destroy());
    } else response.end(part);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const state: FileServer = {
    url: `http://127.0.0.1:${port}/places.parquet`,
    bytes: 0,
    requests: 0,
    cuts: 0,
    status: undefined,
    isDead: false,
    etag: '"v1"',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}
