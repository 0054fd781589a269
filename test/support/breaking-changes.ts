type Json = Readonly<Record<string, unknown>>;

/**
 * Finds what a client of the old document could rely on and cannot rely on any more: a route,
 * response or field that was removed or changed its type, a value that is no longer accepted, a new
 * required input. It compares our own documents only; it is not a general comparison of JSON
 * schemas.
 */
export function breakingChanges(before: Json, after: Json): readonly string[] {
  const found: string[] = [];
  const [old, now] = [asJson(before["paths"]), asJson(after["paths"])];
  for (const [path, operations] of Object.entries(old)) {
    for (const [method, operation] of Object.entries(asJson(operations))) {
      const route = `${method.toUpperCase()} ${path}`;
      const present = asJson(asJson(now[path])[method]);
      if (Object.keys(present).length === 0) found.push(`${route} is gone`);
      else
        found.push(...routeChanges(asJson(operation), present).map((what) => `${route}: ${what}`));
    }
  }
  return found;
}

function routeChanges(before: Json, after: Json): readonly string[] {
  const found: string[] = [];
  if (before["x-scope"] !== after["x-scope"])
    found.push(`needs the scope ${String(after["x-scope"])}`);
  const [old, now] = [byName(before), byName(after)];
  for (const [name, parameter] of old) {
    const present = now.get(name);
    if (!present) found.push(`the parameter ${name} is gone`);
    else found.push(...inputChanges(asJson(parameter["schema"]), asJson(present["schema"]), name));
  }
  for (const [name, parameter] of now) {
    const isDuty = parameter["required"] === true && old.get(name)?.["required"] !== true;
    if (isDuty) found.push(`the parameter ${name} is required`);
  }
  const [oldBody, newBody] = [contentOf(before["requestBody"]), contentOf(after["requestBody"])];
  if (oldBody) found.push(...inputChanges(oldBody, newBody ?? {}, "body"));
  else if (newBody) found.push("a body is required");
  const responses = asJson(after["responses"]);
  for (const [status, response] of Object.entries(asJson(before["responses"]))) {
    if (!Object.hasOwn(responses, status)) found.push(`no longer answers ${status}`);
    const schema = contentOf(response);
    if (schema) found.push(...outputChanges(schema, contentOf(responses[status]) ?? {}, "answer"));
  }
  return found;
}

/** Every input that was accepted must still be accepted. */
function inputChanges(before: Json, after: Json, at: string): readonly string[] {
  const found: string[] = [];
  if (isOther(before["type"], after["type"])) found.push(`${at} has another type`);
  const values = after["enum"];
  for (const value of listOf(before["enum"])) {
    if (Array.isArray(values) && !values.includes(value))
      found.push(`${at} no longer takes ${String(value)}`);
  }
  for (const [limit, isTighter] of limits) {
    const [old, now] = [before[limit], after[limit]];
    if (typeof now === "number" && (typeof old !== "number" || isTighter(old, now))) {
      found.push(`${at}: ${limit} is ${now}`);
    }
  }
  const [old, now] = [asJson(before["properties"]), asJson(after["properties"])];
  for (const [name, schema] of Object.entries(old)) {
    if (!Object.hasOwn(now, name)) found.push(`${at}.${name} is no longer taken`);
    else found.push(...inputChanges(asJson(schema), asJson(now[name]), `${at}.${name}`));
  }
  for (const name of listOf(after["required"])) {
    if (!listOf(before["required"]).includes(name)) found.push(`${at}.${String(name)} is required`);
  }
  if (before["items"]) found.push(...inputChanges(asJson(before["items"]), asJson(after["items"]), `${at}[]`)); // prettier-ignore
  return found;
}

/** Every output that was promised must still be present. */
function outputChanges(before: Json, after: Json, at: string): readonly string[] {
  const found: string[] = [];
  if (isOther(before["type"], after["type"])) found.push(`${at} has another type`);
  const [old, now] = [asJson(before["properties"]), asJson(after["properties"])];
  for (const [name, schema] of Object.entries(old)) {
    if (!Object.hasOwn(now, name)) found.push(`${at}.${name} is gone`);
    else found.push(...outputChanges(asJson(schema), asJson(now[name]), `${at}.${name}`));
  }
  for (const name of listOf(before["required"])) {
    const isThere = Object.hasOwn(now, String(name));
    if (isThere && !listOf(after["required"]).includes(name)) found.push(`${at}.${String(name)} may be absent`); // prettier-ignore
  }
  if (before["items"]) found.push(...outputChanges(asJson(before["items"]), asJson(after["items"]), `${at}[]`)); // prettier-ignore
  return found;
}

const limits: readonly (readonly [string, (old: number, now: number) => boolean])[] = [
  ["maximum", (old, now) => now < old],
  ["maxLength", (old, now) => now < old],
  ["maxItems", (old, now) => now < old],
  ["minimum", (old, now) => now > old],
  ["minLength", (old, now) => now > old],
  ["minItems", (old, now) => now > old],
];

const isOther = (before: unknown, after: unknown) =>
  before !== undefined && JSON.stringify(before) !== JSON.stringify(after);

const byName = (operation: Json): ReadonlyMap<string, Json> =>
  new Map(
    listOf(operation["parameters"]).map((one) => {
      const parameter = asJson(one);
      return [`${String(parameter["in"])} ${String(parameter["name"])}`, parameter];
    }),
  );

function contentOf(value: unknown): Json | undefined {
  const json = asJson(asJson(asJson(value)["content"])["application/json"]);
  return json["schema"] === undefined ? undefined : asJson(json["schema"]);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const asJson = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};
