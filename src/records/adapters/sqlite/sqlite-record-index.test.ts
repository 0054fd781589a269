import { silentLogger } from "../../../base/log/logger.ts";
import { recordIndexSuite } from "../../testing/record-index-suite.ts";
import { recordSearchSuite } from "../../testing/record-search-suite.ts";
import { openSqliteRecordIndex } from "./sqlite-record-index.ts";

const open = () => openSqliteRecordIndex({ file: ":memory:", log: silentLogger });

recordIndexSuite({ name: "sqlite", open });
recordSearchSuite({ name: "sqlite", open });
