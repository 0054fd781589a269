import "../base/process/require-node.ts";
export {
  eachOwnLine,
  eachOwnRecord,
  escapedUnits,
  hasEscape,
  ownLineEnd,
  ownLineStart,
} from "./own-records.ts";
export { createUsvScanner, scanUsv, type Dialect, type UsvItem } from "./scan-usv.ts";
export { readUsvRecords, writeUsvRecords } from "./stream-usv.ts";
export { encodeRecord, encodeUnit } from "./write-usv.ts";
