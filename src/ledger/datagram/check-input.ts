import { AppError } from "../../base/app-error.ts";
import { isNodeId, isSessionId, isStampAt } from "./check-parts.ts";
import { stampWidth } from "./datagram.ts";

export const valueBytesMax = 2 ** 20;
export const targetBytesMax = 200;
export const fieldBytesMax = 280;
export const sourceBytesMax = 500;
/** Limits of one commit, which is sent and stored as one. */
export const commitFieldsMax = 10_000;
export const commitBytesMax = 16 * 2 ** 20;

/**
 * Long texts kept beside a record. They are cut if too long, because their beginning is still
 * useful.
 */
const auxiliaryFields: ReadonlySet<string> = new Set(["sitemap", "navbar"]);

/** A target is `company/<id>`: at least two names, separated by `/`. */
export function checkTarget(target: string): void {
  const fault = nameFault(target, targetBytesMax) ?? (target.includes("/") ? "" : oneName);
  if (fault) throw refused("ledger_target", "target", target, fault);
}

/** A field is a name such as `phone`, or an element of a collection: `email/<address>`. */
export function checkField(field: string): void {
  const fault = nameFault(field, fieldBytesMax);
  if (fault) throw refused("ledger_field", "field", field, fault);
}

/** The origin of a value: `hand:anna`, `place:osm/123`, `site:https://…`, or `system`. */
export function checkSource(source: string): void {
  const fault =
    textFault(source, sourceBytesMax) ??
    (/^(?:system|(?:hand|place|site):.+)$/su.test(source)
      ? ""
      : "it is not hand:, place: or site:");
  if (fault) throw refused("ledger_source", "source", source, fault);
}

/** The reference to another write: `stamp/node/session/number`; "" refers to none. */
export function checkReference(reference: string): string {
  const [stamp = "", node, session, number = ""] = reference.split("/");
  const isOne =
    stamp.length === stampWidth &&
    isStampAt(stamp, 0) &&
    isNodeId(node) &&
    isSessionId(session) &&
    /^[1-9]\d{0,15}$/.test(number);
  if (reference === "" || (isOne && reference.split("/").length === 4)) return reference;
  throw refused("ledger_reference", "causality", reference, "it does not name a write");
}

export interface EncodedValue {
  readonly json: string;
  /** How many bytes were cut off; usually 0. */
  readonly cutBytes: number;
}

/** A value as canonical JSON, so that equal values are equal text. */
export function encodeValue(field: string, value: unknown): EncodedValue {
  const json = canonicalJson(field, value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= valueBytesMax) return { json, cutBytes: 0 };
  if (typeof value === "string" && auxiliaryFields.has(field)) return cutText(value);
  throw new AppError(
    "invalid",
    "ledger_value_too_big",
    `the value of ${field} has ${bytes} bytes; a field holds at most ${valueBytesMax}: ` +
      `store it elsewhere and write its location`,
  );
}

/** Keeps as many characters as fit, measured in bytes of JSON. */
function cutText(text: string): EncodedValue {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(JSON.stringify(text.slice(0, middle))) <= valueBytesMax) low = middle;
    else high = middle - 1;
  }
  // Do not cut a surrogate pair in half.
  const end = /[\ud800-\udbff]$/.test(text.slice(0, low)) ? low - 1 : low;
  return {
    json: JSON.stringify(text.slice(0, end)),
    cutBytes: Buffer.byteLength(text.slice(end)),
  };
}

function canonicalJson(field: string, value: unknown): string {
  const seen: object[] = [];
  const write = (one: unknown): string => {
    if (one === null || typeof one === "boolean" || typeof one === "string") {
      return JSON.stringify(one);
    }
    if (typeof one === "number" && Number.isFinite(one)) return JSON.stringify(one);
    if (typeof one !== "object" || seen.includes(one) || seen.length > 100) {
      const message = `the value of ${field} is not JSON: a ${typeof one} cannot be stored`;
      throw new AppError("invalid", "ledger_value", message);
    }
    seen.push(one);
    const text = Array.isArray(one)
      ? `[${one.map(write).join(",")}]`
      : `{${Object.entries(one)
          .filter(([, inner]) => inner !== undefined)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`)
          .join(",")}}`;
    seen.pop();
    return text;
  };
  return write(value);
}

/** Nearly all names match this, and then need no closer check. */
const plainText = /^[!-~]+$/;
const oneName = "it needs two names, such as company/1a2b";

function nameFault(text: string, bytesMax: number): string | undefined {
  const fault = textFault(text, bytesMax);
  if (fault) return fault;
  const parts = text.split("/");
  if (parts.includes("")) return "it begins or ends with /, or contains //";
  if (parts.some((part) => part === "." || part === "..")) return "a part of it is . or ..";
  return undefined;
}

function textFault(text: string, bytesMax: number): string | undefined {
  if (text.length <= bytesMax && plainText.test(text)) return undefined;
  if (text === "") return "it is empty";
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) return `it has ${bytes} bytes, more than ${bytesMax}`;
  if (/\p{Cc}/u.test(text)) return "it contains a control character";
  if (/\p{Surrogate}/u.test(text)) return "it contains half a surrogate pair";
  if (text.trim() !== text) return "it begins or ends with white space";
  return undefined;
}

function refused(code: string, what: string, text: string, fault: string): AppError {
  const shown = JSON.stringify(text.slice(0, 60));
  return new AppError("invalid", code, `${what} ${shown} is refused: ${fault}`);
}
