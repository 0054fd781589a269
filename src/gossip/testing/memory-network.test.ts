import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { transportSuite } from "./transport-suite.ts";
import { createMemoryNetwork } from "./memory-network.ts";

const clock = createTestClock();
const network = createMemoryNetwork({ clock, random: createSeededRandom(1) });
let opened = 0;

transportSuite({
  name: "memory",
  open: async () => network.join(`10.0.0.${(opened += 1)}:9999`),
  until: () => clock.advance(5_000),
});
