/** Opens the secret of a folder when it gets a message: `secret-process.ts FILE`. */
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import { openFolderSecret } from "../node/folder-secret.ts";

const [file = ""] = process.argv.slice(2);
process.once("message", () => {
  const opened = openFolderSecret({ file, make: () => createId(systemRandom, 52) });
  void opened.then((secret) => process.send!(secret));
});
process.send!("ready");
