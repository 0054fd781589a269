import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AppError } from "../../../base/app-error.ts";

const run = promisify(execFile);
const keys = "shop craft office amenity healthcare tourism leisure club education".split(" ");

export interface ConvertExtractOptions {
  /** `.osm.pbf`, or another format that osmium reads. */
  readonly file: string;
  /** The GeoJSON sequence to create; a temporary file beside it can be removed afterwards. */
  readonly to: string;
  readonly program?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Converts everything in an OpenStreetMap extract that may be a business to a GeoJSON sequence,
 * with osmium-tool. A closed way appears as a line and as an area (`a24` is way 12): readers turn
 * both into one id.
 */
export async function convertExtract(options: ConvertExtractOptions): Promise<void> {
  const { file, to, program = "osmium", signal } = options;
  const part = `${to}.osm.pbf`;
  const osmium = async (...args: readonly string[]): Promise<void> => {
    try {
      await run(program, [...args], { maxBuffer: 2 ** 20, ...(signal && { signal }) });
    } catch (error) {
      signal?.throwIfAborted();
      throw failed(file, error as NodeJS.ErrnoException & { readonly stderr?: string });
    }
  };
  const filters = keys.map((key) => `nwr/${key}`);
  await osmium("tags-filter", "--overwrite", "--no-progress", "-o", part, file, ...filters);
  await osmium("export", "--overwrite", "--no-progress", "-f", "geojsonseq", "--add-unique-id=type_id", "-o", to, part); // prettier-ignore
}

function failed(
  file: string,
  { code, stderr = "", message }: NodeJS.ErrnoException & { readonly stderr?: string },
): AppError {
  if (code === "ENOENT") {
    const words =
      "extracts of OpenStreetMap are read through osmium-tool, which is not installed: " +
      "apt install osmium-tool (Debian, Ubuntu), brew install osmium-tool (macOS)";
    return new AppError("invalid", "osmium_missing", `cannot read ${file}: ${words}`);
  }
  const [why = message] = stderr.trim().split("\n").slice(-1);
  return new AppError("invalid", "places_extract", `cannot read ${file}: ${why || message}`);
}
