import { usageError } from "../../base/usage-error.ts";

/** An argument `FIELD=TEXT` or `FIELD:=JSON`. */
export interface FieldAssignment {
  readonly field: string;
  readonly value: unknown;
  /** True for `FIELD:=JSON`. */
  readonly isJson: boolean;
}

export function parseAssignment(text: string): FieldAssignment {
  const [, name = "", colon, value] = /^([^=]+?)(:?)=(.*)$/su.exec(text) ?? [];
  if (value === undefined) throw usageError(`'${text}' is neither FIELD=TEXT nor FIELD:=JSON`);
  const field = name.trim();
  if (colon !== ":") return { field, value, isJson: false };
  try {
    return { field, value: JSON.parse(value) as unknown, isJson: true };
  } catch (cause) {
    throw usageError(`the value of ${field} is not JSON; for text write ${field}=TEXT`, { cause });
  }
}
