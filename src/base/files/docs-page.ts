import { packageFile } from "./package-files.ts";

/** The folder with the documentation of the installed version; it is part of the npm package. */
export const docsFolder = packageFile("docs");

/**
 * The absolute path of a page, for messages and help: `docsPage("worker.md")`. A user of the npm
 * package can open an absolute path, but not "docs/worker.md".
 */
export const docsPage = (name: string): string => packageFile(`docs/${name}`);
