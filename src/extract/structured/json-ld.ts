import { cleanText } from "../text/clean-text.ts";
import type { StructuredNode, StructuredValue } from "./structured-node.ts";
import { typeName } from "./structured-node.ts";
import { parseTolerant } from "./tolerant-json.ts";

const nodesMax = 2_000;
const valuesMax = 200;

/** The nodes of a JSON-LD script; `@graph` and lists are flattened. */
export function readJsonLd(text: string): readonly StructuredNode[] {
  const budget = { left: nodesMax };
  return topLevel(parseTolerant(text)).flatMap((one) => nodeOf(one, budget) ?? []);
}

function topLevel(json: unknown): readonly object[] {
  if (Array.isArray(json)) return json.slice(0, valuesMax).flatMap(topLevel);
  if (typeof json !== "object" || json === null) return [];
  const graph = (json as Record<string, unknown>)["@graph"];
  return graph === undefined ? [json] : [json, ...topLevel(graph)];
}

function nodeOf(json: object, budget: { left: number }): StructuredNode | undefined {
  if (budget.left-- <= 0) return undefined;
  const properties = new Map<string, readonly StructuredValue[]>();
  const types: string[] = [];
  for (const [key, value] of Object.entries(json).slice(0, valuesMax)) {
    if (key === "@graph" || key === "@context") continue;
    const values = (
      Array.isArray(value) ? value.slice(0, valuesMax) : [value]
    ) as readonly unknown[];
    if (key === "@type") {
      types.push(...values.filter((one) => typeof one === "string").map(typeName));
      continue;
    }
    const read = values.flatMap((one) => valueOf(one, budget) ?? []);
    if (read.length > 0)
      properties.set(key.replace(/^(?:https?:\/\/schema\.org\/|schema:)/, ""), read);
  }
  return { types, properties };
}

function valueOf(value: unknown, budget: { left: number }): StructuredValue | undefined {
  if (typeof value === "string") return cleanText(value, 2_000);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return nodeOf(value, budget);
}
