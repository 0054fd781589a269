import { AppError } from "../base/app-error.ts";

/**
 * Throws if JSON would change a value on its way to the owner. JSON omits a property that is
 * undefined, which is fine here.
 */
export function checkJson(value: unknown, path = "the request"): void {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return;
    case "number":
      if (Number.isFinite(value)) return;
      throw notJson(path, String(value));
    case "object":
      if (value === null) return;
      if (Array.isArray(value)) return value.forEach((one, at) => checkJson(one, `${path}[${at}]`));
      if (!isPlain(value)) throw notJson(path, value.constructor?.name ?? "an object");
      for (const [key, one] of Object.entries(value)) checkJson(one, `${path}.${key}`);
      return;
    case "bigint":
    case "function":
    case "symbol":
      throw notJson(path, `a ${typeof value}`);
  }
}

const isPlain = (value: object) => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const notJson = (path: string, what: string) =>
  new AppError("invalid", "node_not_json", `${path} is ${what}, which JSON cannot express`);
