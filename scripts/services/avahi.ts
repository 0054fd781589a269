import { dirname } from "node:path";
import { AppError } from "../../src/base/app-error.ts";
import { installPackages } from "./apt.ts";
import { findProgram } from "./command.ts";
import type { Service, ServiceContext } from "./service.ts";

const advice =
  "Avahi is not installed. On Debian or Ubuntu: sudo apt-get install avahi-daemon avahi-utils dbus.";

const programs = ["avahi-daemon", "avahi-browse", "avahi-publish", "dbus-daemon"] as const;
const packages = ["avahi-daemon", "avahi-utils", "dbus"];

/** Linux's own mDNS. Nothing runs yet: a test starts it inside of a network of its own. */
export async function startAvahi({ print }: ServiceContext): Promise<Service> {
  if ((await paths()).includes(undefined))
    await installPackages({ packages, note: "about 10 s, 5 MB", advice, print });
  const [daemon, browse, publish, bus] = await paths();
  if (!daemon || !browse || !publish || !bus)
    throw new AppError("unavailable", "service_missing", advice);
  const env = {
    FORAGER_TEST_AVAHI_DAEMON: daemon,
    FORAGER_TEST_AVAHI_TOOLS: dirname(browse),
    FORAGER_TEST_AVAHI_BUS: bus,
  };
  return { env, pids: [], stop: async () => {} };
}

const paths = () => Promise.all(programs.map((name) => findProgram([name])));
