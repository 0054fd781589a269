/**
 * Every npm script runs this first: `bootstrap.mjs start|test|services|bench|build|sim|release|screenshots|docs ARGS`.
 * Plain JavaScript without dependencies that runs on Node 18 and newer, because nothing is
 * installed yet. It finds or brings a Node that is new enough, installs the dependencies, and then
 * runs the real script with that Node.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, ".cache");
const stampFile = join(root, "node_modules", ".forager-stamp.json");
const scripts = ["test", "services", "bench", "build", "sim", "release", "screenshots", "docs"];
/** The Node that is brought when the one at hand is too old. scripts/node/ has a lock for each. */
const broughtMajor = "24";
const broughtMajors = ["22", "24"];
const installWaitMaxS = 1200;
const quietly = ["--no-audit", "--no-fund"];

async function main([name = "", ...rest]) {
  if (name !== "start" && !scripts.includes(name))
    return fail(`there is no script "${name}"; there are start, ${scripts.join(", ")}`);
  const { major, args, problem } = takeNodeOption(name, rest);
  if (problem) return fail(problem);
  try {
    // npm runs on an old Node too, so Node and the packages are fetched at the same time.
    const [node] = await Promise.all([findNode(major), isInstalled() || installInTurn()]);
    const tsx = ["--import", "tsx"];
    if (name !== "start")
      return void (process.exitCode = await run(node, [...tsx, `scripts/${name}.ts`, ...args]));
    const code = await run(node, [...tsx, "scripts/build.ts", "--quiet"]);
    process.exitCode =
      code === 0 ? await run(node, [join("dist", "cli", "main.js"), "demo", ...args]) : code;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    fail(error.message);
  }
}

/** A failure that is explained in full by its message. */
class Problem extends Error {}

/** `--node 22` of `npm test` asks for another Node than the one at hand. */
function takeNodeOption(name, args) {
  const index = name === "test" ? args.indexOf("--node") : -1;
  if (index < 0) return { args };
  const major = args[index + 1];
  if (!broughtMajors.includes(major))
    return { problem: `--node takes ${broughtMajors.join(" or ")}, not "${major ?? ""}"` };
  return { major, args: [...args.slice(0, index), ...args.slice(index + 2)] };
}

/** Whether a version of Node is at least the one that package.json asks for. */
export function isNewEnough(version) {
  const parse = (text) => text.split(".").map(Number);
  const floor = parse(readJson(join(root, "package.json")).engines.node.replace(">=", ""));
  const [major, minor] = parse(version);
  return major > floor[0] || (major === floor[0] && minor >= (floor[1] ?? 0));
}

/** The Node to run with. `.cache/node/bin/node` leads to it afterwards: bin/forager uses that. */
async function findNode(major) {
  const lockOf = (wanted) => join(root, "scripts", "node", wanted);
  if (major !== undefined)
    return await bringNode({
      lockFolder: lockOf(major),
      folder: join(cache, `node-${major}`),
      why: `the tests are to run on Node ${major}`,
    });
  const folder = join(cache, "node");
  if (!isNewEnough(process.versions.node)) {
    const { engines } = readJson(join(root, "package.json"));
    const why = `Node ${process.versions.node} is too old for Forager (${engines.node})`;
    return await bringNode({ lockFolder: lockOf(broughtMajor), folder, why });
  }
  linkNode(nodeFile(folder));
  return process.execPath;
}

function nodeFile(folder) {
  return join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/** Remembers the Node at hand for bin/forager, unless one was brought before. */
function linkNode(link) {
  if (process.platform === "win32" || existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(process.execPath, link);
}

/**
 * Installs the Node of `lockFolder` from its npm package into `folder`, checked by the lock's
 * integrity hash. Resolves to the path of the program.
 */
export async function bringNode({ lockFolder, folder, why }) {
  const file = nodeFile(folder);
  const lock = readFileSync(join(lockFolder, "package-lock.json"), "utf8");
  const stamp = createHash("sha256").update(lock).digest("hex");
  if (readText(join(folder, "stamp")) === stamp && existsSync(file)) return file;

  const name = `Node ${basename(lockFolder)}`;
  print(`${why}: bringing ${name} from npm into ${folder.slice(root.length + 1)} …`);
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "node-install-"));
  try {
    for (const name of ["package.json", "package-lock.json"])
      copyFileSync(join(lockFolder, name), join(work, name));
    const { code, output } = await runNpm(["ci", "--ignore-scripts", ...quietly], work);
    if (code !== 0) throw new Problem(explainInstallFailure(output));
    const found = Object.keys(JSON.parse(lock).packages).find(
      (path) => existsSync(nodeFile(join(work, path))) && path !== "",
    );
    if (!found)
      throw new Problem(
        `there is no npm package with ${name} for ${process.platform} on ${process.arch}: ` +
          "install Node 22.14 or newer yourself (https://nodejs.org), then run the command again",
      );
    const ready = join(work, "ready");
    mkdirSync(join(ready, "bin"), { recursive: true });
    renameSync(nodeFile(join(work, found)), nodeFile(ready));
    writeFileSync(join(ready, "stamp"), stamp);
    rmSync(folder, { recursive: true, force: true });
    renameSync(ready, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return file;
}

/**
 * Whether node_modules is what package-lock.json asks for. The stamp answers at once; without
 * one someone ran npm by hand, and npm's own record of what it installed is compared.
 */
function isInstalled() {
  const wanted = wantedStamp();
  const found = readJson(stampFile);
  if (found) return found.lock === wanted.lock && found.platform === wanted.platform;
  if (!hasInstalledTheLock()) return false;
  writeFileSync(stampFile, JSON.stringify(wanted));
  return true;
}

/** The lock and the platform: packages carry binaries for the platform they were installed on. */
function wantedStamp() {
  const lock = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  return { lock: lock.digest("hex"), platform: `${process.platform}-${process.arch}` };
}

function hasInstalledTheLock() {
  const wanted = readJson(join(root, "package-lock.json"))?.packages ?? {};
  const installed = readJson(join(root, "node_modules", ".package-lock.json"))?.packages;
  if (!installed) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === "") return true;
    return installed[path] ? installed[path].version === version : optional === true;
  });
}

/** One at a time: two commands that start together would empty node_modules under each other. */
async function installInTurn() {
  mkdirSync(cache, { recursive: true });
  const turn = join(cache, "installing.pid");
  let isReported = false;
  for (let waitedS = 0; waitedS < installWaitMaxS; waitedS += 0.5) {
    if (isInstalled()) return;
    if (takeTurn(turn)) {
      try {
        return await install();
      } finally {
        rmSync(turn, { force: true });
      }
    }
    if (!isReported) print("another command is installing npm packages; waiting for it …");
    isReported = true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Problem(
    `another command has been installing for 20 minutes: end it, or remove ${turn}`,
  );
}

/** Whether this process now has the file. A file of a process that has ended counts for nothing. */
function takeTurn(file) {
  const holder = readText(file);
  if (holder !== undefined && !isRunning(Number(holder))) rmSync(file, { force: true });
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
  return readText(file) === String(process.pid);
}

function isRunning(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Installs the dependencies and shows how many packages have arrived. */
async function install() {
  const why = existsSync(join(root, "node_modules")) ? "package-lock.json changed" : "first run";
  const packages = Object.keys(readJson(join(root, "package-lock.json"))?.packages ?? {}).length;
  print(`installing npm packages (${why}) …`);
  const startMs = performance.now();
  const seconds = () => Math.round((performance.now() - startMs) / 1000);
  let arrived = 0;
  const progress = showProgress(
    () => `installing: ${arrived} of about ${packages} packages, ${seconds()} s`,
  );
  // Whatever NODE_ENV says, the tools are needed too. At this log level npm names each download.
  // Without --ignore-scripts `npm ci` would compile better-sqlite3, although it brings its
  // binaries, and so fail on a machine that has no Python.
  const args = ["ci", "--include=dev", "--ignore-scripts", ...quietly, "--loglevel=http"];
  let { code, output } = await runNpm(args, root, (line) => {
    if (/\bhttp\b.*\.tgz/.test(line)) arrived += 1;
  });
  const allowed = packagesWithAllowedScripts();
  if (code === 0 && allowed.length > 0)
    ({ code, output } = await runNpm(["rebuild", ...allowed], root));
  progress.stop();
  if (code !== 0) throw new Problem(explainInstallFailure(output));
  writeFileSync(stampFile, JSON.stringify(wantedStamp()));
  print(`installed in ${seconds()} s`);
}

/** `allowScripts` of package.json, for every npm: only the newest ones read it themselves. */
function packagesWithAllowedScripts() {
  const { allowScripts = {} } = readJson(join(root, "package.json"));
  return Object.keys(allowScripts).filter(
    (name) => allowScripts[name] === true && existsSync(join(root, "node_modules", name)),
  );
}

/** A line that is rewritten on a terminal, and printed every five seconds elsewhere. */
function showProgress(text) {
  const isTerminal = process.stderr.isTTY;
  const show = () => (isTerminal ? process.stderr.write(`\r\x1b[2K${text()}`) : print(text()));
  const timer = setInterval(show, isTerminal ? 250 : 5_000);
  return {
    stop() {
      clearInterval(timer);
      if (isTerminal) process.stderr.write("\r\x1b[2K");
    },
  };
}

function runNpm(args, cwd, onLine = () => {}) {
  const npm = process.env.npm_execpath;
  const [command, ...prefix] = npm?.endsWith(".js") ? [process.execPath, npm] : ["npm"];
  return new Promise((resolve) => {
    const shell = process.platform === "win32" && command === "npm";
    const stdio = ["ignore", "pipe", "pipe"];
    const child = spawn(command, [...prefix, ...args], { cwd, stdio, shell });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        for (const line of text.split("\n")) onLine(line);
        output += text;
      });
    child.once("error", (error) => resolve({ code: 1, output: `npm: ${error.message}` }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** The end of npm's output, then what to do about it. */
export function explainInstallFailure(output) {
  const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET/.test(output);
  const isFull = /ENOSPC/.test(output);
  const advice = isFull
    ? "the disk is full. Make room (500 MB are enough) and run the command again."
    : isOffline
      ? "npm cannot reach its registry. Check the network and the proxy, then run the command again."
      : "npm's own messages are above; `npm ci` shows them again.";
  const lines = output.split("\n").filter((line) => !/^npm (http|timing|verbose)/.test(line));
  return `${lines.join("\n").trim()}\n\nnpm could not install what is needed: ${advice}`;
}

/** Runs a program with `node` in the terminal of this process; resolves to its exit code. */
function run(node, args) {
  return new Promise((resolve) => {
    // Programs that the script starts find the same Node first.
    const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`;
    const env = { ...process.env, PATH, BOOTSTRAP_PID: String(process.pid) };
    const child = spawn(node, args, { cwd: root, stdio: "inherit", env });
    const pass = (signal) => () => {
      // In a terminal Ctrl-C has reached the child already, and a second one may mean "at once".
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, pass(signal));
    // Under npm a changed parent means that npm was killed: nobody is left to stop us.
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.env.npm_lifecycle_event && process.ppid !== parent) child.kill("SIGHUP");
    }, 500);
    child.once("error", (error) => {
      clearInterval(watch);
      fail(`${node} does not start: ${error.message}`);
      resolve(1);
    });
    child.once("exit", (code, signal) => {
      clearInterval(watch);
      resolve(code ?? (signal === "SIGINT" ? 130 : signal === "SIGKILL" ? 137 : 143));
    });
  });
}

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function readJson(file) {
  const text = readText(file);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function print(line) {
  process.stderr.write(`${line}\n`);
}

function fail(message) {
  print(`error: ${message}`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
