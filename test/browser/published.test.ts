// needs: s3
// inputs: src/** scripts/dashboard/** test/browser/dashboard/** test/support/**
import { readFile } from "node:fs/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PutBucketPolicyCommand } from "@aws-sdk/client-s3";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import { createRecordsSandbox, type RecordsSandbox } from "../support/records-sandbox.ts";
import { needs } from "../support/services.ts";
import { axeViolations, openBrowser, openWatchedPage, expectNoSidewaysScroll } from "./dashboard/open-dashboard.ts"; // prettier-ignore
import { serveFolder, type StaticServer } from "./dashboard/static-server.ts";

const below = "/reports/north/";
const hostile = `<img src=x onerror=alert(1)> ]]> \u202eevil`;

describe("a published site in Chromium, from a host that knows nothing of it", () => {
  let browser: Browser;
  let sandbox: RecordsSandbox;
  const servers: StaticServer[] = [];
  const serve = async (folder: string) => {
    const server = await serveFolder(join(sandbox.folder, folder), below);
    servers.push(server);
    return server;
  };
  beforeAll(async () => {
    sandbox = await createRecordsSandbox();
    browser = await openBrowser();
    const rows = Array.from({ length: 130 }, (_, n) => `Floors ${n},floors${n}.example,info@floors${n}.example,+1512555${String(n).padStart(4, "0")},${n % 2 ? "Austin" : "San Marcos"},${30 + n / 500},-97.7`); // prettier-ignore
    const csv = ["name,domain,email,phone,city,latitude,longitude", ...rows, `"${hostile}",evil.example,a@evil.example,,"=cmd()",30.3,-97.7`].join("\n"); // prettier-ignore
    writeFileSync(join(sandbox.folder, "leads.csv"), `${csv}\n`);
    await sandbox.good("import", "companies", "leads.csv");
    await sandbox.good("campaign", "new", "austin");
    await sandbox.good("publish", "dir:site", "--private");
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) await server.stop();
    sandbox?.remove();
  });

  const rowCount = (page: Page) => page.locator("table.rows tbody tr").count();

  test("shows overview, campaign, map and companies, without a fault or a foreign request, also on a phone", async () => {
    const { origin } = await serve("site");
    const { page, faults } = await openWatchedPage(browser, origin);
    const home = `${origin}${below}`;
    for (const [fragment, text] of [
      ["", "About this site"],
      ["#/campaigns/austin", "Known values"],
      ["#/map?campaign=austin&tile=30.0_-97.7", "in this tile"],
      ["#/companies", "Floors 0"],
      ["#/companies?open=floors-7", "info@floors7.example"],
    ] as const) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto("about:blank");
      await page.goto(home + fragment);
      await page.getByText(text).first().waitFor();
      expect(await axeViolations(page), fragment).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectNoSidewaysScroll(page, fragment);
    }
    const buttons = page.getByRole("button", { name: /Edit|Save|Run|Delete|Exclude|Change all|Merge|sign out/ }); // prettier-ignore
    expect(await buttons.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("finds companies by several words with three requests, follows links, back and reload", async () => {
    const { origin, asked } = await serve("site");
    const { page, faults } = await openWatchedPage(browser, origin);
    await page.goto(`${origin}${below}#/companies`);
    await page.getByText("131 companies").waitFor();
    const before = asked.length;
    await page.getByPlaceholder(/several words/).fill("marcos 88");
    await page.getByText("1 company", { exact: true }).waitFor(); // the count comes last
    expect(asked.length - before).toBeLessThanOrEqual(3);
    expect(await rowCount(page)).toBe(1);
    await page.reload();
    await page.getByText("1 company", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Floors 88" }).click();
    await page.getByText("info@floors88.example").first().waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "clear all" }).click();
    await page.getByText("131 companies").waitFor();
    await page.getByRole("link", { name: /^Austin/ }).click();
    await page.getByText("65 companies").waitFor();
    expect(faults).toEqual([]);
  });

  test("shows hostile names as text, also in downloads, and its content policy holds", async () => {
    const { origin } = await serve("site");
    const { page } = await openWatchedPage(browser, origin);
    let dialogs = 0;
    page.on("dialog", (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await page.goto(`${origin}${below}#/companies?words=img+onerror`);
    await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    // Nothing runs that was not shipped, and nothing is loaded from elsewhere.
    const violated = await page.evaluate(`new Promise((resolve) => {
      document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      const script = document.createElement("script");
      script.textContent = "window.hasRun = true";
      document.head.append(script);
    })`);
    expect(violated).toBe("script-src-elem");
    expect(await page.evaluate("window.hasRun")).toBeUndefined();
    const isFetched = await page.evaluate(
      `fetch("https://example.org/x").then(() => true, () => false)`,
    );
    expect(isFetched).toBe(false);
    await page.goto(`${origin}${below}#/`);
    const texts: Record<string, string> = {};
    for (const format of ["CSV", "JSON", "KML", "GeoJSON"]) {
      const waiting = page.waitForEvent("download");
      await page.getByRole("button", { name: format, exact: true }).click();
      const download = await waiting;
      expect(download.suggestedFilename()).toMatch(new RegExp(`^companies-.*\\.${format.toLowerCase()}$`)); // prettier-ignore
      texts[format] = await readFile(await download.path(), "utf8");
    }
    expect(texts["CSV"]!.split("\r\n").length).toBe(133);
    expect(texts["CSV"]).toContain("'=cmd()");
    expect(JSON.parse(texts["JSON"]!)).toHaveLength(131);
    expect(JSON.parse(texts["GeoJSON"]!)).toMatchObject({ type: "FeatureCollection" });
    expect(texts["KML"]).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(dialogs).toBe(0);
  });

  test("a sealed site opens with its link; a wrong key and none show what to do", async () => {
    const { fragment } = await sandbox.json<{ fragment: string }>("publish", "dir:sealed", "--sealed"); // prettier-ignore
    const { origin, asked } = await serve("sealed");
    const { page } = await openWatchedPage(browser, origin);
    const home = `${origin}${below}`;
    await page.goto(home);
    await page.getByText("This site is encrypted").waitFor();
    await page.goto("about:blank");
    await page.goto(`${home}#k=${"A".repeat(43)}/companies`);
    await page.getByText("This link does not open the site").waitFor();
    await page.goto("about:blank");
    await page.goto(`${home}${fragment}/companies?words=floors+12`);
    await page.getByRole("link", { name: "Floors 12", exact: true }).click();
    await page.getByText("info@floors12.example").first().waitFor();
    expect(page.url()).toContain(fragment);
    expect(asked.some((path) => path.includes(fragment.slice(3)))).toBe(false);
  });

  test("a public site does not show emails and phones, nor that they are missing", async () => {
    await sandbox.good("publish", "dir:open", "--public", "--yes");
    const { origin } = await serve("open");
    const { page, faults } = await openWatchedPage(browser, origin);
    await page.goto(`${origin}${below}#/companies?open=floors-7`);
    await page.getByText("floors7.example").first().waitFor();
    const text = await page.locator("body").innerText();
    expect(text).not.toMatch(/info@|\+1512|not visited yet|With email|\bphone\b/);
    await page.goto("about:blank");
    await page.goto(`${origin}${below}#/`);
    await page.getByText("emails, phones, people, notes").waitFor();
    expect(faults).toEqual([]);
  });

  needs(["s3"], ({ s3 }) => {
    test("a sealed site works from an S3 bucket that anybody may read", async () => {
      const { place, client } = await createTestPlace(s3);
      const resource = `arn:aws:s3:::${place.bucket}/*`;
      const statement = {
        Effect: "Allow",
        Principal: "*",
        Action: "s3:GetObject",
        Resource: resource,
      };
      const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
      await client.send(new PutBucketPolicyCommand({ Bucket: place.bucket, Policy }));
      const env = { AWS_ACCESS_KEY_ID: s3.accessKey, AWS_SECRET_ACCESS_KEY: s3.secretKey };
      const target = `s3://${place.bucket}/north?endpoint=${s3.endpoint}&region=${s3.region}`;
      const out = await sandbox.onData(["publish", target, "--sealed", "--json"], { env });
      expect(out.exitCode, out.stderr).toBe(0);
      const { fragment } = JSON.parse(out.stdout) as { fragment: string };
      const { page, faults } = await openWatchedPage(browser, s3.endpoint);
      await page.goto(`${s3.endpoint}/${place.bucket}/north/index.html${fragment}/companies?words=floors+99`); // prettier-ignore
      await page.getByRole("link", { name: "Floors 99", exact: true }).click();
      await page.getByText("info@floors99.example").first().waitFor();
      expect(faults).toEqual([]);
    });
  });
});
