import { hostname } from "node:os";
import type { Settings } from "../../config/index.ts";

/** The display name of this node: `node.name`, or the name of its machine. */
export const nodeName = ({ node }: Pick<Settings, "node">): string => node.name ?? hostname();
