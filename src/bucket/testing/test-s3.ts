import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import type { S3Place } from "../adapters/s3/s3-client.ts";

export interface TestS3 {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Creates a bucket on a test server, and a client of its owner. */
export async function createTestPlace(s3: TestS3): Promise<{
  readonly place: Required<Pick<S3Place, "credentials">> & S3Place;
  readonly client: S3Client;
}> {
  const { endpoint, region } = s3;
  const credentials = { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const bucket = `t-${createId(systemRandom, 12)}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return { place: { bucket, prefix: "some/prefix/", endpoint, region, credentials }, client };
}

/** A connection to a server that can be cut and restored, and that records requests. */
export interface TestLink extends AsyncDisposable {
  readonly endpoint: string;
  /** `METHOD PATH` with the query, of all requests so far. */
  requests(): readonly string[];
  cut(): void;
  mend(): void;
}

/** A client sends the head of a request in one chunk. */
const requestLine = /^((?:GET|HEAD|PUT|POST|DELETE) \S+) HTTP\/1\.1\r$/gm;

export async function createTestLink(endpoint: string): Promise<TestLink> {
  const target = new URL(endpoint);
  const sockets = new Set<Socket>();
  let isCut = false;
  const requests: string[] = [];
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    near.on("data", (chunk: Buffer) => {
      for (const [, request] of chunk.toString("latin1").matchAll(requestLine)) {
        requests.push(request!);
      }
    });
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    cut() {
      isCut = true;
      cutAll();
    },
    mend: () => void (isCut = false),
    async [Symbol.asyncDispose]() {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
