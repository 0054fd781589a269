// needs: s3
// process: own
import { expect, test, vi } from "vitest";
import { needs } from "../../../test/support/services.ts";
import { createTestLink, createTestPlace } from "../../bucket/testing/test-s3.ts";
import { openTestServe, sendAs, signIn } from "./testing/open-test-serve.ts";

needs(["s3"], ({ s3 }) => {
  test("while the bucket is away people work on and sign in, and when it is back changes count again", async () => {
    await using link = await createTestLink(s3.endpoint);
    const { place } = await createTestPlace(s3);
    vi.stubEnv("AWS_ACCESS_KEY_ID", s3.accessKey);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", s3.secretKey);
    const server = await openTestServe({
      users: { anna: "admin", bob: "editor" },
      env: {
        FORAGER_BUCKET_URL: `s3://${place.bucket}/fleet?endpoint=${link.endpoint}&region=${s3.region}`,
        // Only the bucket is unavailable.
        FORAGER_QUEUE_URL: "sqlite:queue.db",
      },
    });
    const { origin } = server;
    const anna = sendAs(origin, (await signIn(origin, "anna")).cookie);
    const bob = sendAs(origin, (await signIn(origin, "bob")).cookie);
    link.cut();
    expect((await bob("GET", "/api/session")).status).toBe(200);
    const made = await bob("POST", "/api/companies", { name: "Acme", fields: {} });
    expect(made.status).toBe(201);
    expect((await bob("GET", "/api/companies")).body["rows"]).toHaveLength(1);
    expect((await signIn(origin, "bob")).status).toBe(200);
    expect((await signIn(origin, "bob", "wrong")).status).toBe(401);
    // A change that cannot be stored is refused with the reason.
    const change = await anna("PATCH", "/api/users/bob", { role: "viewer" });
    expect([change.status, (await bob("GET", "/api/session")).body["role"]]).toEqual([503, "editor"]); // prettier-ignore
    link.mend();
    await expect.poll(async () => (await anna("PATCH", "/api/users/bob", { role: "viewer" })).status).toBe(200); // prettier-ignore
    expect((await bob("GET", "/api/session")).status).toBe(401);
    vi.unstubAllEnvs();
  });
});
