/**
 * Buffers that can be transferred to another thread without a copy: those that one view covers
 * completely. Buffers with several views, and those from a pool, are copied.
 */
export function handedOver(views: readonly ArrayBufferView[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  for (const { buffer, byteLength } of views) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) found.add(buffer);
  }
  return [...found];
}
