/**
 * What every npm script runs first: `bootstrap.mjs start|test|services|bench|build|sim ARGS`. Plain
 * JavaScript without dependencies, because it runs when nothing is installed yet. It makes sure
 * that Node is new enough and the dependencies are there, then hands over to the real script.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, "node_modules", ".forager-stamp.json");
const scripts = ["test", "services", "bench", "build", "sim"];

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));

async function main([name = "", ...args]) {
  const problem = nodeProblem(process.versions.node);
  if (problem) return fail(problem);
  if (name !== "start" && !scripts.includes(name))
    return fail(`there is no script "${name}"; there are start, ${scripts.join(", ")}`);
  if (!isInstalled()) {
    const installProblem = await install();
    if (installProblem) return fail(installProblem);
  }
  if (name !== "start")
    return handOver(["--import", "tsx", join("scripts", `${name}.ts`), ...args]);
  const code = await run(["--import", "tsx", join("scripts", "build.ts"), "--quiet"]);
  if (code !== 0) process.exitCode = code;
  else await handOver([join("dist", "cli", "main.js"), "demo", ...args]);
}

/** Why this Node cannot run the project, or undefined. */
export function nodeProblem(version) {
  const [major, minor] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return `Node ${version} is too old: Forager needs 20.19 or newer (https://nodejs.org)`;
}

/**
 * Whether node_modules is what package-lock.json asks for. The stamp says so in an instant; where
 * there is none, someone ran npm by hand, and npm's own record of what it installed is compared.
 */
function isInstalled() {
  const wanted = wantedStamp();
  const found = readJson(stampFile);
  if (found) return found.lock === wanted.lock && found.runtime === wanted.runtime;
  if (!hasInstalledTheLock()) return false;
  writeFileSync(stampFile, JSON.stringify(wanted));
  return true;
}

/** The lock and the runtime: compiled modules fit one version of Node on one kind of machine. */
function wantedStamp() {
  const lock = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  const runtime = `${process.platform}-${process.arch}-${process.versions.modules}`;
  return { lock: lock.digest("hex"), runtime };
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

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Installs the dependencies; returns what went wrong, or undefined. */
async function install() {
  const why = existsSync(join(root, "node_modules")) ? "package-lock.json changed" : "first run";
  say(`installing npm dependencies (${why}; 10 s, or 90 s where better-sqlite3 is compiled) …`);
  const startMs = performance.now();
  // Whatever NODE_ENV says, the tools are needed too.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, output } = await runNpm(args);
  if (code !== 0) return explainInstallFailure(output);
  writeFileSync(stampFile, JSON.stringify(wantedStamp()));
  say(`installed in ${Math.round((performance.now() - startMs) / 1000)} s`);
  return undefined;
}

function runNpm(args) {
  const npm = process.env.npm_execpath;
  const [command, ...prefix] = npm?.endsWith(".js") ? [process.execPath, npm] : ["npm"];
  return new Promise((resolve) => {
    const shell = process.platform === "win32" && command === "npm";
    const stdio = ["ignore", "pipe", "pipe"];
    const child = spawn(command, [...prefix, ...args], { cwd: root, stdio, shell });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", (error) => resolve({ code: 1, output: `npm: ${error.message}` }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** npm's output with, above all of it, what to do where we know it. */
export function explainInstallFailure(output) {
  const isCompiling = /gyp ERR!|node-gyp/.test(output);
  const lacksTool =
    /find Python|not found: make|(make|g\+\+|c\+\+|cc|clang\+\+): (command )?not found/.test(
      output,
    ) || /(g\+\+|c\+\+|cc|clang\+\+): No such file|No Xcode or CLT|Visual Studio/.test(output);
  const isOffline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET/.test(output);
  const advice =
    isCompiling && lacksTool
      ? "better-sqlite3 has to be compiled on this machine, and the tools for it are missing.\n" +
        "  Debian, Ubuntu: apt-get install python3 make g++\n" +
        "  macOS:          xcode-select --install\n" +
        "Install them, then run the command again."
      : isOffline
        ? "the network, or a proxy on the way, does not let npm through. Fix that and run again."
        : "npm's own words are above; `npm ci` shows them again.";
  return `${output.trim()}\n\nthe npm dependencies could not be installed: ${advice}`;
}

/** Runs Node in the terminal of this process and ends as it ends. */
async function handOver(args) {
  process.exitCode = await run(args);
}

function run(args) {
  return new Promise((resolve) => {
    const env = { ...process.env, BOOTSTRAP_PID: String(process.pid) };
    const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env });
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
    child.once("exit", (code, signal) => {
      clearInterval(watch);
      resolve(code ?? (signal === "SIGINT" ? 130 : signal === "SIGKILL" ? 137 : 143));
    });
  });
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(message) {
  say(`error: ${message}`);
  process.exitCode = 1;
}
