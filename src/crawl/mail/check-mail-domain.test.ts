import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDnsMailResolver } from "../adapters/dns/dns-mail-resolver.ts";
import { startDnsServer, type DnsServer } from "../testing/dns-server.ts";
import { checkMailDomain } from "./check-mail-domain.ts";

describe("the status of a mail domain, from a real DNS server", () => {
  let server: DnsServer;
  beforeAll(async () => {
    server = await startDnsServer({
      "mx.example": { mx: [[20, "b.mx.example"], [10, "a.mx.example"]] }, // prettier-ignore
      "null.example": { mx: [[0, "."]] },
      "web.example": { a: ["192.0.2.1"] },
      "empty.example": {},
      "broken.example": { code: 2 },
      "refused.example": { code: 5 },
      "silent.example": { isSilent: true },
      "mailinator.com": { mx: [[10, "mail.mailinator.com"]] },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each([
    ["mx.example", "ok-domain", "mx"],
    ["null.example", "no-mail", "null-mx"],
    ["web.example", "ok-domain", "address-only"],
    ["empty.example", "no-mail", "no-records"],
    ["gone.example", "no-mail", "no-domain"],
    ["broken.example", "unknown", "servfail"],
    ["refused.example", "unknown", "refused"],
    ["mailinator.com", "disposable", "list"],
    ["inbox.mailinator.com", "disposable", "list"],
  ])("%s is %s, because of %s", async (domain, status, because) => {
    const resolver = createDnsMailResolver({ server: server.address });
    expect(await checkMailDomain(resolver, domain)).toEqual({ status, because });
  });

  test("what cannot be a domain is malformed, and DNS is not asked", async () => {
    const resolver = createDnsMailResolver({ server: server.address });
    const before = server.questions.length;
    for (const domain of ["localhost", `${"a".repeat(60)}.`.repeat(5)]) {
      expect(await checkMailDomain(resolver, domain)).toEqual({ status: "malformed" });
    }
    expect(server.questions.length).toBe(before);
  });

  test("a server that says nothing is unknown, not no-mail; asked twice at most", async () => {
    const resolver = createDnsMailResolver({ server: server.address, timeoutMs: 50 });
    const asked = () => server.questions.filter((one) => one === "MX silent.example").length;
    const found = await checkMailDomain(resolver, "silent.example");
    expect(found).toEqual({ status: "unknown", because: "timeout" });
    expect(asked()).toBeLessThanOrEqual(2);
  });

  test("a stop ends the questions that are open; a wrong server is reported", async () => {
    const stop = new AbortController();
    const resolver = createDnsMailResolver({ server: server.address, signal: stop.signal });
    const asking = checkMailDomain(resolver, "silent.example");
    stop.abort();
    expect(await asking).toEqual({ status: "unknown", because: "cancelled" });
    expect(() => createDnsMailResolver({ server: "dns.example" })).toThrow(
      /mail\.dnsServer must be/,
    );
  });
});
