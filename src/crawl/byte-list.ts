/** A piece of at least this size is kept as it is; smaller ones are copied into a shared block. */
const largeBytes = 8 * 1024;
const blockBytes = 64 * 1024;

/**
 * Bytes that arrive in pieces of any size, in order. Memory is proportional to the bytes, not to
 * the pieces: a body may arrive byte by byte, and each piece would keep the whole buffer of its
 * socket alive.
 */
export interface ByteList {
  readonly length: number;
  push(piece: Uint8Array): void;
  /** Removes the oldest bytes: at most a block, or one large piece. */
  shift(): Uint8Array | undefined;
  /** Everything as one array. The list keeps it. */
  concat(): Uint8Array;
}

export function createByteList(): ByteList {
  let closed: Uint8Array[] = [];
  let block: Uint8Array | undefined;
  let used = 0;
  let length = 0;

  function closeBlock(): void {
    if (block && used > 0) closed.push(block.subarray(0, used));
    // The rest of the block can still be used, because nothing refers to it.
    block = block && used < block.length ? block.subarray(used) : undefined;
    used = 0;
  }

  return {
    get length() {
      return length;
    },
    push(piece) {
      const isFirst = length === 0;
      length += piece.length;
      // Most bodies are one piece, which needs no copy.
      if (isFirst || piece.length >= largeBytes) {
        closeBlock();
        closed.push(piece);
        return;
      }
      if (block && used + piece.length > block.length) {
        closeBlock();
        block = undefined;
      }
      block ??= new Uint8Array(blockBytes);
      block.set(piece, used);
      used += piece.length;
    },
    shift() {
      if (closed.length === 0) closeBlock();
      const oldest = closed.shift();
      length -= oldest?.length ?? 0;
      return oldest;
    },
    concat() {
      closeBlock();
      if (closed.length !== 1) closed = [Buffer.concat(closed, length)];
      return closed[0]!;
    },
  };
}
