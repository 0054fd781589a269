import { cleanText } from "../text/clean-text.ts";

/** A node of schema.org, from JSON-LD or microdata: types, and properties with their values. */
export interface StructuredNode {
  readonly types: readonly string[];
  readonly properties: ReadonlyMap<string, readonly StructuredValue[]>;
}

export type StructuredValue = string | StructuredNode;

export const isNode = (value: StructuredValue): value is StructuredNode =>
  typeof value !== "string";

/** "https://schema.org/LocalBusiness", "schema:LocalBusiness" → "LocalBusiness" */
export const typeName = (type: string): string =>
  cleanText(type, 200)
    .replace(/^.*[/#:]/, "")
    .slice(0, 60);

export function textsOf(node: StructuredNode, name: string): readonly string[] {
  return (node.properties.get(name) ?? []).flatMap((value) => {
    if (!isNode(value)) return value === "" ? [] : [value];
    const inner =
      value.properties.get("@value") ??
      value.properties.get("name") ??
      value.properties.get("@id") ??
      [];
    return inner.filter((one): one is string => !isNode(one) && one !== "");
  });
}

export const textOf = (node: StructuredNode, name: string): string | undefined =>
  textsOf(node, name)[0];

export const nodesOf = (node: StructuredNode, name: string): readonly StructuredNode[] =>
  (node.properties.get(name) ?? []).filter(isNode);

/** The node and the nodes inside it, at most `nodesMax`. */
export function withInner(node: StructuredNode, nodesMax = 500): readonly StructuredNode[] {
  const all: StructuredNode[] = [node];
  for (let at = 0; at < all.length && all.length < nodesMax; at++) {
    for (const values of all[at]!.properties.values()) {
      for (const value of values) if (isNode(value) && all.length < nodesMax) all.push(value);
    }
  }
  return all;
}
