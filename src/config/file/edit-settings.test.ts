import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setSetting, settingOf, settingsFiles } from "./edit-settings.ts";
import { createTempFolder } from "../testing/temp-folder.ts";

function machine(text?: string) {
  const folder = createTempFolder(text === undefined ? {} : { "forager.toml": text });
  const file = join(folder, "forager.toml");
  const set = (key: string, value: string) =>
    setSetting({ file, key, value, home: folder, env: {} });
  return { folder, file, set, text: () => readFileSync(file, "utf8") };
}

test.each([
  ["a new file", undefined, "crawl.contact", "me@example.org", '[crawl]\ncontact = "me@example.org"\n'],
  ["a new table", "data = 'd' # here\n", "queue.leaseMs", "5000", "data = 'd' # here\n\n[queue]\nleaseMs = 5000\n"],
  ["its table", "[crawl] # web\npages = 3\n", "crawl.delayMs", "250", "[crawl] # web\ndelayMs = 250\npages = 3\n"],
  ["its old value", "[crawl]\ncontact = 'a#b@x.org'  # me\npages = 3\n", "crawl.contact", "c@x.org", '[crawl]\ncontact = "c@x.org"  # me\npages = 3\n'],
  ["a dotted key", "queue.leaseMs = 9000\nlog.level = 'warn'", "queue.leaseMs", "8000", "queue.leaseMs = 8000\nlog.level = 'warn'"],
  ["a table of dotted keys", "crawl.pages = 3\n[log]\nlevel = 'warn'\n", "crawl.delayMs", "5", "crawl.pages = 3\ncrawl.delayMs = 5\n[log]\nlevel = 'warn'\n"],
  ["a list on one line", "[crawl]\nallowPrivateNetworks = ['10.0.0.1', '10.0.0.2']\n", "crawl.allowPrivateNetworks", "127.0.0.1", '[crawl]\nallowPrivateNetworks = ["127.0.0.1"]\n'],
  ["a list as words", "", "serve.names", "pi-3, pi-4.lan", '[serve]\nnames = ["pi-3", "pi-4.lan"]\n'],
  ["a list as a list", "", "serve.names", '["pi-3","pi-4.lan"]', '[serve]\nnames = ["pi-3","pi-4.lan"]\n'],
  ["an empty list", "[serve]\nnames = 'a'\n", "serve.names", "", "[serve]\nnames = []\n"],
  ["the top of the file", "[log]\nlevel = 'warn'\n", "data", "here", "data = \"here\"\n[log]\nlevel = 'warn'\n"],
])("a setting is written into %s, and the rest stays", async (_name, before, key, value, after) => {
  const { set, text } = machine(before);
  await set(key, value);
  expect(text()).toBe(after);
}); // prettier-ignore

test.each([
  ["crawl.contct", "x", "did you mean crawl.contact?"],
  ["zzz", "x", "there is no setting 'zzz'; `forager config show` lists all"],
  ["queue.leaseMs", "soon", "queue.leaseMs must be a whole number"],
  ["queue.password", "hunter2", "is a secret and is not written in plain text"],
])("%s = %s is refused: %s", async (key, value, words) => {
  const { set, file } = machine();
  await expect(set(key, value)).rejects.toThrow(words);
  expect(existsSync(file)).toBe(false);
});

test("of a secret it is written where it is, and nothing else", async () => {
  const { set, text, file } = machine();
  for (const value of ['"plain"', "{ plain = 'x' }", "{ file = 'a' }\nqueue.leaseMs = 1", "{}"]) {
    await expect(set("gossip.keys", value)).rejects.toThrow("is not written in plain text");
  }
  expect(existsSync(file)).toBe(false);
  await set("gossip.keys", ' { file = "gossip.key" } ');
  expect(text()).toBe('[gossip]\nkeys = { file = "gossip.key" }\n');
});

test("a file that is wrong elsewhere, or a value of several lines, is left as it is", async () => {
  const wrong = machine("[crawl]\npages = 0\n");
  await expect(wrong.set("crawl.contact", "me@x.org")).rejects.toThrow("crawl.pages must be");
  expect(wrong.text()).toBe("[crawl]\npages = 0\n");
  const long = machine("[crawl]\nallowPrivateNetworks = [\n '10.0.0.1',\n]\n");
  await expect(long.set("crawl.allowPrivateNetworks", "127.0.0.1")).rejects.toThrow("config edit");
});

test("the nearest forager.toml is the project's", async () => {
  const folder = createTempFolder({ "a/forager.toml": "", "a/b/c/x": "" });
  const found = await settingsFiles({ home: "/home/x", env: {} }, join(folder, "a/b/c"));
  expect(found).toEqual({
    user: "/home/x/.config/forager/config.toml",
    project: join(folder, "a/forager.toml"),
  });
  expect(settingOf("crawl.contact").variable).toBe("FORAGER_CRAWL_CONTACT");
});
