import { writeFileAtomic } from "../files/atomic-file.ts";

// A process that tests kill: it replaces one file again and again, each time with a different
// letter.
process.on("disconnect", () => process.exit(1)); // end with the test process
const [path = "", bytes = ""] = process.argv.slice(2);
for (let turn = 0; ; turn++) {
  const letter = String.fromCharCode("a".charCodeAt(0) + (turn % 26));
  await writeFileAtomic(path, letter.repeat(Number(bytes)));
  if (turn === 0) process.send?.("writing");
}
