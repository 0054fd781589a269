import { beforeAll, describe, expect, test } from "vitest";
import { apiUrl } from "../../api/client/api-client.ts";
import {
  contract,
  roles,
  scopesOfRole,
  type Role,
  type RouteName,
  type RouteSpec,
} from "../../api/index.ts";
import { openTestServe, signIn, type TestServe } from "./testing/open-test-serve.ts";

/** All routes of the table, so that a new route is tested too. */
const routes = Object.entries(contract as Readonly<Record<RouteName, RouteSpec>>);

describe("roles × routes", () => {
  let server: TestServe;
  const headersOf = new Map<string, Readonly<Record<string, string>>>();

  beforeAll(async () => {
    const users = Object.fromEntries(roles.map((role) => [`a-${role}`, role]));
    server = await openTestServe({ users, owner: "file" });
    for (const role of roles) {
      const { status, cookie } = await signIn(server.origin, `a-${role}`);
      expect(status).toBe(200);
      headersOf.set(role, { cookie, "sec-fetch-site": "same-origin", origin: server.origin });
    }
    const { token } = await server.client.send("POST", "/api/tokens", {
      body: { name: "matrix", scopes: ["exports:read"] },
    });
    headersOf.set("token", { authorization: `Bearer ${token}` });
  });

  /**
   * Sends a request that is rejected for its format before it has an effect, if its sender has the
   * permission.
   */
  const ask = async (
    { method, path, params }: RouteSpec,
    headers: Readonly<Record<string, string>>,
  ) => {
    const given = Object.fromEntries(Object.keys(params?.shape ?? {}).map((key) => [key, "1"]));
    const url = `${server.origin}${apiUrl(path, given)}?noSuchField=1`;
    const answer = await fetch(url, { method, headers });
    const body = (await answer.json()) as { readonly code?: string };
    return { status: answer.status, code: body.code };
  };

  const expected = (mayDo: boolean) =>
    mayDo ? { status: expect.toBeOneOf([400, 415]) as number } : { status: 403, code: "missing_scope" }; // prettier-ignore

  test.each(routes)("%s", async (_, spec) => {
    const { scope } = spec;
    const nobody = await ask(spec, {});
    if (scope === "public") return expect(nobody.status).toBeOneOf([400, 415]);
    expect(nobody).toEqual({ status: 401, code: "not_signed_in" });
    expect(await ask(spec, { authorization: "Bearer wrong" })).toMatchObject({ status: 401 });
    for (const role of roles) {
      const mayDo = scope === "self" || (scope !== "owner" && scopesOfRole[role].includes(scope));
      expect(await ask(spec, headersOf.get(role)!), role).toMatchObject(expected(mayDo));
    }
    const token = await ask(spec, headersOf.get("token")!);
    if (scope === "self") return expect(token).toEqual({ status: 403, code: "needs_session" });
    expect(token, "token").toMatchObject(expected(scope === "exports:read"));
  });

  test("a role may do all that the one below it may, and only an admin changes users", () => {
    const order: readonly Role[] = roles;
    for (const [at, role] of order.slice(1).entries()) {
      expect(scopesOfRole[role]).toEqual(expect.arrayContaining([...scopesOfRole[order[at]!]]));
    }
    const admins = order.filter((role) => scopesOfRole[role].includes("users:admin"));
    expect(admins).toEqual(["admin"]);
    const writes = (role: Role) => scopesOfRole[role].filter((scope) => !scope.endsWith(":read"));
    expect(writes("viewer")).toEqual([]);
  });

  test("/metrics needs status:read", async () => {
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`${server.origin}/metrics`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status(headersOf.get("token")!)).toBe(401);
    expect(await status(headersOf.get("viewer")!)).toBe(200);
  });
});
