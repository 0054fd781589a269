/** The settings and commands with which Forager uses the servers that were started. */
export function foragerAddresses(env: Readonly<Record<string, string>>): readonly string[] {
  const postgres = env["FORAGER_TEST_POSTGRES_URL"];
  const endpoint = env["FORAGER_TEST_S3_ENDPOINT"];
  const region = env["FORAGER_TEST_S3_REGION"] ?? "us-east-1";
  const bucket = `s3://forager-dev?endpoint=${endpoint}&region=${region}`;
  return [
    ...(postgres === undefined
      ? []
      : ["a queue and bucket in PostgreSQL:", `  forager up --queue '${postgres}'`]),
    ...(endpoint === undefined
      ? []
      : [
          "a queue and bucket on S3:",
          `  export AWS_ACCESS_KEY_ID='${env["FORAGER_TEST_S3_ACCESS_KEY"] ?? ""}'`,
          `  export AWS_SECRET_ACCESS_KEY='${env["FORAGER_TEST_S3_SECRET_KEY"] ?? ""}'`,
          `  forager bucket create '${bucket}'`,
          `  forager up --bucket '${bucket}'`,
        ]),
  ];
}
