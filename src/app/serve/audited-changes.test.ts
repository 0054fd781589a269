import { beforeAll, expect, test } from "vitest";
import { auditedStates } from "../../api/index.ts";
import { systemClock } from "../../base/clock.ts";
import { openAudit } from "../open-audit.ts";
import { openTestServe, sendAs, signIn, testPassword, type TestServe } from "./testing/open-test-serve.ts"; // prettier-ignore

let server: TestServe;
beforeAll(async () => {
  server = await openTestServe({ owner: "file", users: { anna: "admin" } });
});

const send = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${server.origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, id: answer.headers.get("x-request-id")!, text };
};
const entries = async () => {
  const { settings, paths } = server;
  return (await openAudit({ settings, paths, clock: systemClock }).list({ limit: 10_000 })).entries;
};
const json = (text: string) => JSON.parse(text) as Record<string, string>;

/** Routes with a compared state that need something this server does not have. */
const notTried = {
  restoreConflict:
    "needs two nodes that wrote at once; it reads what the other records' routes read",
  publishSite: "needs a site that was published on the command line",
};

test("every route that changes something that is there records what it was and what it is", async () => {
  for (const name of ["Acme", "Bolt"]) await send("POST", "/api/companies", { name, fields: { city: "Waco" } }); // prettier-ignore
  await send("POST", "/api/people", { name: "Jo Doe", fields: {} });
  await send("POST", "/api/campaigns", { campaign: "austin" });
  const task = { kind: "page", payload: {}, job: "j", gate: "a.example", delayMs: 3_600_000 };
  await send("POST", "/api/queue/tasks", { tasks: [task, { ...task, job: "austin" }, { ...task, job: "k" }] }); // prettier-ignore
  const config = json((await send("GET", "/api/campaigns/austin/config")).text)["text"]!;
  const hook = json((await send("POST", "/api/webhooks", { url: "https://hooks.example/s3cret", events: [] })).text); // prettier-ignore
  const token = json((await send("POST", "/api/tokens", { name: "crm", scopes: ["queue:read"] })).text); // prettier-ignore
  const { cookie } = await signIn(server.origin, "anna");
  const sessions = await sendAs(server.origin, cookie)("GET", "/api/sessions");
  const [session] = sessions.body["rows"] as unknown as readonly { readonly id: string }[];
  const schedule = (everyMs: number) => ({ everyMs, action: { kind: "resolve" } });

  const asked: Record<string, Awaited<ReturnType<typeof send>>> = {};
  const change = async (name: keyof typeof auditedStates, ...given: Parameters<typeof send>) => {
    asked[name] = await send(...given);
    expect([name, asked[name].status, asked[name].status < 300 ? "" : asked[name].text]).toEqual([name, expect.any(Number), ""]); // prettier-ignore
  };
  await change("editCompany", "PATCH", "/api/companies/acme", { set: { city: "Austin" } });
  await change("addCompanyEntry", "POST", "/api/companies/acme/entries", { kind: "note", text: "called" }); // prettier-ignore
  await change("tagCompany", "POST", "/api/companies/acme/tags", { add: ["vip"], remove: [] });
  await change("excludeCompany", "PUT", "/api/companies/acme/exclusion", { reason: "rival" });
  const before = new Date().toISOString();
  await change("distinctCompanies", "POST", "/api/companies/acme/distinct", { other: "bolt" });
  await change("mergeCompany", "POST", "/api/companies/bolt/merge", { into: "acme" });
  await change("unmergeCompany", "POST", "/api/companies/bolt/unmerge");
  await change("deleteCompany", "POST", "/api/companies/acme/delete", { confirm: "acme" });
  await change("restoreCompany", "POST", "/api/companies/acme/restore", { at: before });
  await change("editPerson", "PATCH", "/api/people/jo-doe", { set: { city: "Austin" } });
  await change("addPersonEntry", "POST", "/api/people/jo-doe/entries", { kind: "note", text: "x" });
  await change("tagPerson", "POST", "/api/people/jo-doe/tags", { add: ["vip"], remove: [] });
  const then = new Date().toISOString();
  await change("deletePerson", "POST", "/api/people/jo-doe/delete", { confirm: "jo-doe" });
  await change("restorePerson", "POST", "/api/people/jo-doe/restore", { at: then });
  await change("saveCampaignConfig", "PUT", "/api/campaigns/austin/config", { text: `${config}\n# a note\n`, isDryRun: false }); // prettier-ignore
  await change("pauseCampaign", "POST", "/api/campaigns/austin/pause");
  await change("resumeCampaign", "POST", "/api/campaigns/austin/resume");
  await change("setJob", "PUT", "/api/queue/jobs/j", { concurrency: 3 });
  await change("pauseJob", "POST", "/api/queue/jobs/j/pause");
  await change("resumeJob", "POST", "/api/queue/jobs/j/resume");
  await change("setGate", "PUT", "/api/queue/gates/a.example", { delayMs: 2_000 });
  await change("raiseTask", "POST", "/api/queue/tasks/1/raise", { priority: 900, isDueNow: true });
  await change("sealJob", "POST", "/api/queue/jobs/k/seal");
  await change("cancelJob", "POST", "/api/queue/jobs/j/cancel", { confirm: "j" });
  await change("retryTasks", "POST", "/api/queue/retry", { state: ["skipped"] });
  await change("purgeTasks", "POST", "/api/queue/purge", { state: ["skipped"] });
  await change("pruneLog", "POST", "/api/queue/log/prune", { before: new Date().toISOString() });
  await change("reconcileQueue", "POST", "/api/queue/reconcile", { repair: true });
  await send("POST", "/api/queue/jobs/austin/cancel", { confirm: "austin" });
  await change("removeCampaign", "POST", "/api/campaigns/austin/remove", { confirm: "austin" });
  await change("giveCommand", "POST", "/api/fleet/commands", { node: "all", what: ["pause"] });
  const revision = json(asked["giveCommand"]!.text)["revision"]!;
  await change("undoCommand", "POST", `/api/fleet/commands/${revision}/undo`);
  await change("putSchedule", "PUT", "/api/schedules/nightly", schedule(3_600_000));
  await change("pauseSchedule", "POST", "/api/schedules/nightly/pause");
  await change("resumeSchedule", "POST", "/api/schedules/nightly/resume");
  await change("removeSchedule", "DELETE", "/api/schedules/nightly");
  await change("putView", "PUT", "/api/views/tasks/late", { search: "q=state:failed" });
  await change("removeView", "DELETE", "/api/views/tasks/late");
  await change("addUser", "POST", "/api/users", { name: "bob", role: "viewer" });
  await change("setUserRole", "PATCH", "/api/users/bob", { role: "editor" });
  await change("makeUserLink", "POST", "/api/users/bob/link");
  await change("removeUser", "DELETE", "/api/users/bob");
  await change("revokeToken", "DELETE", `/api/tokens/${token["id"]}`);
  await change("endSession", "DELETE", `/api/sessions/${session!.id}`);
  await change("addSuppressions", "POST", "/api/suppressions", { values: ["jo@private.example"] });
  await change("removeSuppressions", "POST", "/api/suppressions/remove", { values: ["jo@private.example"] }); // prettier-ignore
  await change("rotateWebhook", "POST", `/api/webhooks/${hook["id"]}/secret`, {});
  await change("enableWebhook", "POST", `/api/webhooks/${hook["id"]}/enable`);
  await change("removeWebhook", "DELETE", `/api/webhooks/${hook["id"]}`);

  const compared = Object.entries(auditedStates).flatMap(([name, state]) => typeof state === "function" ? [name] : []); // prettier-ignore
  expect([...Object.keys(asked), ...Object.keys(notTried)].toSorted()).toEqual(compared.toSorted());
  const byId = new Map((await entries()).map((entry) => [entry.requestId, entry]));
  const found = Object.entries(asked).map(([name, { id }]) => [name, byId.get(id)] as const);
  // Only new objects have no old values, and only removed objects have no new ones.
  const without = (part: "before" | "after") => found.flatMap(([name, entry]) => entry?.[part] === null ? [name] : []).toSorted(); // prettier-ignore
  expect(without("before")).toEqual([
    "addUser",
    "putSchedule",
    "putView",
    "restoreCompany",
    "restorePerson",
  ]);
  expect(without("after")).toEqual(["deleteCompany", "deletePerson", "endSession", "removeCampaign", "removeSchedule", "removeUser", "removeView", "removeWebhook", "revokeToken"]); // prettier-ignore
  const values = (name: string) => {
    const entry = found.find(([one]) => one === name)![1]!;
    return [JSON.parse(entry.before ?? "null"), JSON.parse(entry.after ?? "null")] as unknown[];
  };
  expect(values("editCompany")).toEqual([{ city: "Waco" }, { city: "Austin" }]);
  expect(values("tagCompany")).toEqual([{}, { "tag/vip": true }]);
  expect(values("deleteCompany")[0]).toMatchObject({ city: "Austin", excluded: "rival" });
  expect(values("saveCampaignConfig")[1]).toMatchObject({ text: expect.stringContaining("# a note") }); // prettier-ignore
  expect(values("setGate")).toEqual([{ delayMs: 0 }, { delayMs: 2_000 }]);
  expect(values("pauseJob")).toEqual([{ isPaused: false }, { isPaused: true }]);
  expect(values("setUserRole")).toEqual([{ role: "viewer" }, { role: "editor" }]);
  expect(values("rotateWebhook")).toEqual([{ secrets: 1 }, { secrets: 2 }]);
  expect(values("addSuppressions")).toEqual([{ listed: 0 }, { listed: 1 }]);
  expect(values("giveCommand")[1]).toEqual({ "all state": "paused" });
  const text = JSON.stringify([...byId.values()]);
  expect(text).not.toMatch(/jo@private|whsec_|fgr_|s3cret|welcome#/);
});

test("no password is recorded, neither the old one nor the new one", async () => {
  const { cookie } = await signIn(server.origin, "anna");
  const anna = sendAs(server.origin, cookie);
  const password = "a quite new pass phrase";
  expect((await anna("PUT", "/api/session/password", { old: testPassword, password })).status).toBe(200); // prettier-ignore
  const all = await entries();
  expect(all.find(({ what }) => what === "changePassword")).toMatchObject({ who: "anna", by: "session", result: "ok" }); // prettier-ignore
  expect(all.find(({ what, who }) => what === "login" && who === "anna")).toMatchObject({ by: "session" }); // prettier-ignore
  expect(JSON.stringify(all)).not.toContain(testPassword);
  expect(JSON.stringify(all)).not.toContain(password);
});

test("an export records its filter and how many rows were sent, a cut one that it was cut", async () => {
  await send("POST", "/api/companies", { name: "Cafe", fields: { city: "Dallas" } });
  const { id } = await send("GET", "/api/exports/companies?format=csv&city=Dallas");
  const found = (await entries()).find(({ requestId }) => requestId === id);
  expect(found).toMatchObject({ what: "exportCompanies", result: "ok" });
  expect(found!.asked).toContain('"city":"Dallas"');
  expect(JSON.parse(found!.after!)).toMatchObject({ rows: 1, bytes: expect.any(Number) });
});

test("a sign-in by a link of the data folder says whose it is", async () => {
  await (await fetch(server.serve.firstLink(), { redirect: "manual" })).text();
  const login = (await entries()).find(({ what, result }) => what === "login" && result === "ok" ); // prettier-ignore
  expect(login).toMatchObject({ detail: "one-time link of the data folder" });
  expect(login!.who).not.toBe("");
});
