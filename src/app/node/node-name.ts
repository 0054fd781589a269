import { hostname } from "node:os";
import type { Settings } from "../../config/index.ts";

/** What people call this node: `node.name`, or the name of its machine. */
export const nodeName = ({ node }: Pick<Settings, "node">): string => node.name ?? hostname();
