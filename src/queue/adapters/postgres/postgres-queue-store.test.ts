// needs: postgres
import { needs } from "../../../../test/support/services.ts";
import { postgresSuite } from "./testing/postgres-suite.ts";

needs(["postgres"], ({ postgres }) => {
  postgresSuite({ name: "postgres", url: postgres.url });
});
