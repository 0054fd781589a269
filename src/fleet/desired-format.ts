import * as z from "zod";
import { AppError } from "../base/app-error.ts";
import type { DesiredState } from "./desired-state.ts";

const entry = z.object({
  value: z.unknown(),
  revision: z.int().min(1),
  by: z.string().max(200),
  atMs: z.number(),
});
const scope = z.string().regex(/^(?:all|[0-9a-z]{13})$/);
const schema = z.object({
  revision: z.int().min(0),
  scopes: z.record(scope, z.record(z.string().max(200), entry)),
});
const hintSchema = schema.extend({ since: z.int().min(0) });

/** Returns undefined if the value is not a desired state. */
export function parseDesired(value: unknown): DesiredState | undefined {
  const parsed = schema.safeParse(value);
  return parsed.success ? (parsed.data as DesiredState) : undefined;
}

/** Throws if the value in the bucket is not valid: a node never applies half of it. */
export function checkDesired(value: unknown, where: string): DesiredState {
  const found = parseDesired(value);
  if (found) return found;
  const message = `${where} is not the desired state of a fleet; nothing in it was applied`;
  throw new AppError("corrupt", "fleet_desired", message);
}

/** The entries that are new to a node that knows all up to `since`. */
export interface DesiredHint extends DesiredState {
  readonly since: number;
}

/**
 * For a packet. If the hint is too long, only its revision is sent, and the receiver reads the
 * sources.
 */
export function encodeHint(hint: DesiredHint, bytesMax: number): Uint8Array {
  const whole = Buffer.from(JSON.stringify(hint));
  if (whole.byteLength <= bytesMax) return whole;
  return Buffer.from(JSON.stringify({ ...hint, scopes: {} }));
}

export function decodeHint(bytes: Uint8Array): DesiredHint | undefined {
  try {
    const parsed = hintSchema.safeParse(JSON.parse(Buffer.from(bytes).toString()));
    return parsed.success ? (parsed.data as DesiredHint) : undefined;
  } catch {
    return undefined;
  }
}
