// needs: postgres
// long: chaos
import { needs } from "../../../../test/support/services.ts";
import { chaosSuite } from "./testing/chaos-suite.ts";

needs(["postgres"], ({ postgres }) => chaosSuite({ url: postgres.url, strikes: 150 }));
