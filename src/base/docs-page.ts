import { fileURLToPath } from "node:url";

/**
 * The folder with the documentation of this very version. It is part of the npm package, and two
 * folders up from src/base and from dist/base alike.
 */
export const docsFolder = fileURLToPath(new URL("../../docs", import.meta.url));

/**
 * The path of a page, for messages and help: `docsPage("worker.md")`. A path that can be opened as
 * it stands helps wherever Forager is installed; "docs/worker.md" helps only in a checkout.
 */
export const docsPage = (name: string): string =>
  fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
