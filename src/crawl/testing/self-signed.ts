/** A certificate that signs itself, made here: X.509 v3 in DER, for 127.0.0.1 and one name. */
import { generateKeyPairSync, sign } from "node:crypto";

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

export function createSelfSigned(name: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])); // ECDSA, SHA-256
  const commonName = tagged(0x0c, Buffer.from(name));
  const names = sequence(tagged(0x31, sequence(objectId([0x55, 0x04, 0x03]), commonName)));
  const validity = sequence(time("250101000000Z"), time("490101000000Z"));
  const alternatives = sequence(
    tagged(0x82, Buffer.from(name)),
    tagged(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const extension = sequence(objectId([0x55, 0x1d, 0x11]), tagged(0x04, alternatives));
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    names,
    validity,
    names,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(extension)),
  );
  const signature = sign("sha256", body, privateKey);
  const bits = tagged(0x03, Buffer.concat([Buffer.from([0]), signature]));
  const base64 = sequence(body, algorithm, bits).toString("base64").replaceAll(/.{64}/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

function tagged(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => tagged(0x30, Buffer.concat(parts));
const objectId = (bytes: readonly number[]) => tagged(0x06, Buffer.from(bytes));
const integer = (value: number) => tagged(0x02, Buffer.from([value]));
const time = (text: string) => tagged(0x17, Buffer.from(text));
