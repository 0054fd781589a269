import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { build, type BuildFailure, type Metafile } from "esbuild";
import { iconNames } from "../../src/dashboard/parts/icon-names.ts";
import { writeBaseMap } from "./base-map.ts";

export interface DashboardBundle {
  /** The folder of the project. */
  readonly root: string;
  /** The folder of the result: index.html, assets/ and basemap/. */
  readonly to: string;
  /** Where the base map is kept between builds. */
  readonly cacheFolder: string;
}

/**
 * Bundles the browser code into files whose names contain a hash of their content, so that browsers may keep
 * them for ever. Only index.html keeps its name. Returns the errors, if there are any.
 */
export async function bundleDashboard(options: DashboardBundle): Promise<string | undefined> {
  const from = join(options.root, "src", "dashboard");
  const assets = join(options.to, "assets");
  let outputs: readonly string[];
  let preloaded: readonly string[];
  try {
    const { metafile } = await build({
      absWorkingDir: options.root,
      entryPoints: [join(from, "main.tsx"), join(from, "styles.css")],
      outdir: assets,
      entryNames: "[name]-[hash]",
      chunkNames: "[name]-[hash]",
      tsconfig: join(from, "tsconfig.json"),
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      target: ["chrome123", "firefox120", "safari17.5"], // the first with light-dark()
      // Leaflet's stylesheet refers to images of controls that we do not use.
      external: ["*.png"],
      metafile: true,
      logLevel: "silent",
    });
    outputs = await withLowerCaseNames(
      assets,
      Object.keys(metafile.outputs).map((path) => basename(path)),
    );
    preloaded = importedByMain(metafile).map((path) => basename(path).toLowerCase());
  } catch (error) {
    return (error as BuildFailure).message;
  }
  const named = (pattern: RegExp) => outputs.find((name) => pattern.test(name))!;
  const tags = [
    `<link rel="stylesheet" href="/assets/${named(/^styles-.*\.css$/)}" />`,
    // Otherwise the browser learns of them only when it has parsed the first script.
    ...preloaded.map((name) => `<link rel="modulepreload" href="/assets/${name}" />`),
    `<script type="module" src="/assets/${named(/^main-.*\.js$/)}"></script>`,
  ];
  const template = await readFile(join(from, "index.html"), "utf8");
  const page = template
    .replace("<!-- assets -->", tags.join("\n    "))
    .replace("<!-- icons -->", await iconSprite());
  await mkdir(assets, { recursive: true });
  await writeFile(join(options.to, "licences.txt"), await licences(options.root));
  await writeFile(join(options.to, "index.html"), page);
  await cp(join(from, "favicon.svg"), join(assets, "favicon.svg"));
  await writeBaseMap({ root: options.root, to: join(options.to, "basemap"), cacheFolder: options.cacheFolder }); // prettier-ignore
  return undefined;
}

/** The scripts that the first one imports, directly or not, but not those it loads later. */
function importedByMain({ outputs }: Metafile): readonly string[] {
  const main = Object.keys(outputs).find((path) => /\/main-[^/]*\.js$/.test(path))!;
  const found = new Set([main]);
  for (const path of found) {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") found.add(next);
    }
  }
  found.delete(main);
  return [...found];
}

/** Some file systems and web hosts take `A` for `a`, and hashes have both. The files name each other. */
async function withLowerCaseNames(
  folder: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const lower = names.map((name) => name.toLowerCase());
  if (new Set(lower).size < names.length) throw new Error("two files differ only in case");
  for (const name of names) {
    const text = await readFile(join(folder, name), "utf8");
    const changed = names.reduce((known, one) => known.replaceAll(one, one.toLowerCase()), text);
    await writeFile(join(folder, name.toLowerCase()), changed);
    if (name !== name.toLowerCase()) await rm(join(folder, name));
  }
  return lower;
}

/** All icons as symbols of one hidden image, so that showing one costs no request. */
async function iconSprite(): Promise<string> {
  const require = createRequire(import.meta.url);
  const folder = join(require.resolve("lucide-static/package.json"), "..", "icons");
  const symbols: string[] = [];
  for (const name of iconNames) {
    const image = await readFile(join(folder, `${name}.svg`), "utf8");
    const shapes = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(image)![1]!.replaceAll(/\s*\n\s*/g, "");
    symbols.push(`<symbol id="icon-${name}" viewBox="0 0 24 24">${shapes}</symbol>`);
  }
  return `<svg class="sprite" aria-hidden="true"><!-- Lucide, ISC licence -->${symbols.join("")}</svg>`;
}

/** Packages whose code or data is in the result. */
const included = ["preact", "@preact/signals", "@preact/signals-core", "uplot", "leaflet", "lucide-static", "world-atlas", "us-atlas"]; // prettier-ignore

async function licences(root: string): Promise<string> {
  const parts = ["Towns: GeoNames (https://www.geonames.org), CC BY 4.0. Outlines: Natural Earth and US Census, public domain."]; // prettier-ignore
  for (const name of included) {
    const folder = join(root, "node_modules", name);
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    if (file) parts.push(`${name}\n\n${await readFile(join(folder, file), "utf8")}`);
  }
  return parts.join("\n\n----\n\n");
}
