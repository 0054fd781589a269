import { createHmac, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { AppError } from "../../../base/app-error.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Random } from "../../../base/random.ts";

/**
 * Both sides prove that they know the folder's token before either parses a byte of the other: the
 * client sends a nonce, the owner a nonce and its proof, the client its proof. The token itself is
 * never sent: a killed process leaves its file behind, and another program may have its port now.
 */
export interface FolderHandshakeOptions {
  readonly socket: Socket;
  readonly token: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
}

const nonceBytes = 32;
const proofBytes = 32;
/** A peer that sends nothing is disconnected after this time. */
export const handshakeMsMax = 3_000;

/** Throws `node_refused`: the other side is not the owner of this data folder. */
export async function proveAsClient({ socket, token, clock, random }: FolderHandshakeOptions) {
  const mine = random.bytes(nonceBytes);
  socket.write(mine);
  const answer = await readBytes(socket, clock, nonceBytes + proofBytes);
  const nonces = Buffer.concat([mine, answer.subarray(0, nonceBytes)]);
  if (!isProof(answer.subarray(nonceBytes), proofOf(token, "owner", nonces))) throw refused();
  socket.write(proofOf(token, "client", nonces));
}

/** Throws `node_refused`: the other side does not know the token. */
export async function proveAsOwner({ socket, token, clock, random }: FolderHandshakeOptions) {
  const theirs = await readBytes(socket, clock, nonceBytes);
  const mine = random.bytes(nonceBytes);
  const nonces = Buffer.concat([theirs, mine]);
  socket.write(Buffer.concat([mine, proofOf(token, "owner", nonces)]));
  const proof = await readBytes(socket, clock, proofBytes);
  if (!isProof(proof, proofOf(token, "client", nonces))) throw refused();
}

const proofOf = (token: Uint8Array, side: "owner" | "client", nonces: Uint8Array) =>
  createHmac("sha256", token).update(`forager node 1 ${side}\n`).update(nonces).digest();

const isProof = (given: Uint8Array, expected: Uint8Array) =>
  given.byteLength === expected.byteLength && timingSafeEqual(given, expected);

const refused = () =>
  new AppError("unavailable", "node_refused", "the other side does not know the folder's token");

/** Reads exactly that many bytes; what follows them stays in the socket. */
function readBytes(socket: Socket, clock: Clock, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      timer.cancel();
      socket.off("readable", look).off("close", onClose);
      end();
    };
    const onClose = () => settle(() => reject(refused()));
    const look = () => {
      const bytes = socket.read(count) as Buffer | null;
      if (!bytes) return;
      settle(() => (bytes.byteLength === count ? resolve(bytes) : reject(refused())));
    };
    const timer = clock.setTimer(handshakeMsMax, onClose, { background: true });
    socket.on("readable", look).on("close", onClose);
    look();
  });
}
