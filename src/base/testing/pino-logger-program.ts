// Logs two lines and exits without waiting. Tests start it with different kinds of stderr.
import { createPinoLogger } from "../log/pino-logger.ts";

const log = createPinoLogger({ level: "info" });
log.info("first line", { bytes: "x".repeat(20_000) });
log.child({ node: "pi" }).error("last words");
process.exit(7);
