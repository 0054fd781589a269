import type { Sabotage } from "./sabotage.ts";

const processes = "src/node/open-node.test.ts";

export const nodeSabotages: readonly Sabotage[] = [
  {
    name: "a write whose answer was lost is written again",
    file: "src/node/client/connection.ts",
    find: "...(isRepeat && { after })",
    replace: "",
    caughtBy: `${processes} > what is written twice because answers were lost`,
  },
  {
    name: "a repeated write leaves out nothing",
    file: "src/node/left-to-write.ts",
    find: "if (source === commit.source) written.add",
    replace: "if (source !== commit.source) written.add",
    caughtBy: `${processes} > what is written twice because answers were lost`,
  },
  {
    name: "an owner that is silent is waited for without end",
    file: "src/node/client/connection.ts",
    find: "> silenceMsMax) {",
    replace: "> 1_000 * silenceMsMax) {",
    caughtBy: `${processes} > an owner that does not answer for 30 s`,
  },
  {
    name: "values change on their way to the owner",
    file: "src/node/open-node.ts",
    find: "    checkJson(call.args);\n",
    replace: "",
    caughtBy: `${processes} > values that JSON cannot express`,
  },
  {
    name: "processes of different versions talk to each other",
    file: "src/node/client/connection.ts",
    find: "if (owner.version !== version) {",
    replace: "if (version === '') {",
    caughtBy: `${processes} > a process of another version gets an error that says so`,
  },
  {
    name: "a service does not take over",
    file: "src/node/open-node.ts",
    find: 'if (kind === "service") void takeOver();',
    replace: "",
    caughtBy: `${processes} > a service takes over at once`,
  },
  {
    name: "worker processes own the folder",
    file: "src/node/open-node.ts",
    find: 'canOwn: kind !== "worker"',
    replace: "canOwn: true",
    caughtBy: `${processes} > a command runs no services, and a worker never owns`,
  },
  {
    name: "the token can be read by other users",
    file: "src/node/adapters/folder/owner-file.ts",
    find: "{ mode: 0o600 }",
    replace: "{ mode: 0o644 }",
    caughtBy: `${processes} > two files are all that it needs`,
  },
];
