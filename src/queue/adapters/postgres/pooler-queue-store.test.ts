// needs: pgbouncer
import { needs } from "../../../../test/support/services.ts";
import { postgresSuite } from "./testing/postgres-suite.ts";

needs(["pgbouncer"], ({ pgbouncer }) => {
  postgresSuite({
    name: "postgres by way of pgbouncer",
    url: pgbouncer.url,
    directUrl: pgbouncer.directUrl,
  });
});
