import * as z from "zod";

/** What a response body with HTTP status 200 contains. */
export type OverpassAnswer =
  | {
      readonly kind: "answer";
      readonly elements: readonly Readonly<Record<string, unknown>>[];
      /** Age of the data, ISO 8601. */
      readonly dataTime: string | undefined;
      /** What the server adds for people. */
      readonly remark?: string;
    }
  /** The query was too much for the server; smaller ones may work. */
  | { readonly kind: "too_big"; readonly reason: string }
  | { readonly kind: "bad"; readonly reason: string };

const schema = z.object({
  osm3s: z.object({ timestamp_osm_base: z.string().optional() }).optional(),
  elements: z.array(z.record(z.string(), z.unknown())),
  remark: z.string().optional(),
});

/**
 * Parses a body. A server that fails half-way answers 200, with a `remark` and a part of the
 * elements; an overloaded one may answer 200 with HTML; a broken connection leaves half a document.
 * None of these is an answer.
 */
export function readAnswer(body: Uint8Array): OverpassAnswer {
  const text = Buffer.from(body).toString("utf8");
  if (!text.trimStart().startsWith("{")) {
    return { kind: "bad", reason: `the answer is not JSON: ${textOfPage(text)}` };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "bad", reason: "the answer is cut off in the middle" };
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { kind: "bad", reason: "the answer has no list of elements" };
  const { osm3s, elements, remark } = parsed.data;
  if (remark !== undefined && /^\s*runtime error/i.test(remark)) {
    const reason = remark.trim().slice(0, 300);
    const isTooBig = /timed out|out of memory/i.test(remark);
    return { kind: isTooBig ? "too_big" : "bad", reason };
  }
  const time = osm3s?.timestamp_osm_base;
  const isTime = time !== undefined && !Number.isNaN(Date.parse(time));
  const dataTime = isTime ? new Date(time).toISOString() : undefined;
  return { kind: "answer", elements, dataTime, ...(remark !== undefined && { remark }) };
}

/** The first words of an HTML page, to show to people. */
function textOfPage(html: string): string {
  const text = html
    .slice(0, 20_000)
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return text === "" ? "it is empty" : `"${text.slice(0, 160)}"`;
}

export interface OverpassStatus {
  /** 0: the server does not manage slots. */
  readonly rateLimit: number;
  readonly slotsNow: number;
  /** Seconds until a slot is free; undefined: unknown. */
  readonly nextSlotS: number | undefined;
}

/** Parses the text of `/api/status`; undefined: it is something else. */
export function readStatus(text: string): OverpassStatus | undefined {
  const limit = /^Rate limit: (\d+)/m.exec(text)?.[1];
  if (limit === undefined) return undefined;
  const waits = [...text.matchAll(/^Slot available after: .*?, in (-?\d+) seconds?/gm)].map(
    ([, seconds]) => Math.max(0, Number(seconds)),
  );
  const now = /^(\d+) slots? available now/m.exec(text)?.[1];
  return {
    rateLimit: Number(limit),
    slotsNow: now === undefined ? 0 : Number(now),
    nextSlotS: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}
