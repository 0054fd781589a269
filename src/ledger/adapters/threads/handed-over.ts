/**
 * What of these can be handed to another thread without copying it: a buffer that holds nothing
 * else. Several views of one buffer are copied, and so is what lies in a pool.
 */
export function handedOver(views: readonly ArrayBufferView[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  for (const { buffer, byteLength } of views) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) found.add(buffer);
  }
  return [...found];
}
