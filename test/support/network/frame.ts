/**
 * Ethernet frames as they come out of a tunnel. The kernel leaves checksums to the hardware that
 * would send them; ours is a program, so it has to write them.
 */

/** The tunnel's own header. */
const tunnelBytes = 8;
const etherBytes = 14;

/** The node whose card a frame is for; undefined: all of them. */
export function receiverOf(packet: Buffer): number | undefined {
  const isForMany = (packet[tunnelBytes]! & 1) === 1;
  return isForMany ? undefined : packet.readUInt16BE(tunnelBytes + 4);
}

/** The address of the card of a node: the last two bytes are its number. */
export function cardOf(node: number): string {
  const hex = node.toString(16).padStart(4, "0");
  return `02:00:00:00:${hex.slice(0, 2)}:${hex.slice(2)}`;
}

export function writeChecksum(packet: Buffer): void {
  const frame = packet.subarray(tunnelBytes);
  if (frame.length < etherBytes) return;
  const kind = frame.readUInt16BE(12);
  const body = frame.subarray(etherBytes);
  if (kind === 0x0800) writeInVersion4(body);
  else if (kind === 0x86dd) writeInVersion6(body);
}

function writeInVersion4(body: Buffer): void {
  const headerBytes = (body[0]! & 0x0f) * 4;
  const isFragment = (body.readUInt16BE(6) & 0x3fff) !== 0;
  if (isFragment) return;
  const payload = body.subarray(headerBytes, body.readUInt16BE(2));
  write({ payload, protocol: body[9]!, addresses: body.subarray(12, 20) });
}

function writeInVersion6(body: Buffer): void {
  const payload = body.subarray(40, 40 + body.readUInt16BE(4));
  write({ payload, protocol: body[6]!, addresses: body.subarray(8, 40) });
}

const offsets: Readonly<Record<number, number>> = { 6: 16, 17: 6 }; // TCP, UDP

function write(segment: { payload: Buffer; protocol: number; addresses: Buffer }): void {
  const { payload, protocol, addresses } = segment;
  const at = offsets[protocol];
  if (at === undefined || payload.length < at + 2) return;
  payload.writeUInt16BE(0, at);
  let sum = protocol + payload.length + sumOf(addresses) + sumOf(payload);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  payload.writeUInt16BE(~sum & 0xffff || 0xffff, at);
}

function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at + 1 < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  return bytes.length % 2 === 0 ? sum : sum + bytes[bytes.length - 1]! * 256;
}
