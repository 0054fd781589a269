// A program to be started with its stderr somewhere: logs two lines and exits without waiting.
import { createPinoLogger } from "../pino-logger.ts";

const log = createPinoLogger({ level: "info" });
log.info("first line", { bytes: "x".repeat(20_000) });
log.child({ node: "pi" }).error("last words");
process.exit(7);
