export { nodeNames } from "./demo/demo-fleet.ts";
export { formatReport } from "./demo/report.ts";
export { runDemo, type ClusterPlace } from "./demo/run-demo.ts";
export { showCluster } from "./demo/show-cluster.ts";
export type { LoadCheck } from "./loadtest/judge.ts";
export { profileNames, profileOf, type ProfileName } from "./loadtest/profile.ts";
export { runLoadtest, type LoadtestResult } from "./loadtest/run-loadtest.ts";
