import { packageFile } from "./package-files.ts";

/** The folder with the documentation of this very version, which is part of the npm package. */
export const docsFolder = packageFile("docs");

/**
 * The path of a page, for messages and help: `docsPage("worker.md")`. A path that can be opened as
 * it stands helps wherever Forager is installed; "docs/worker.md" helps only in a checkout.
 */
export const docsPage = (name: string): string => packageFile(`docs/${name}`);
