/** Smaller chunks are copied into blocks: an object per tiny chunk would take a hundred times the memory of its content. */
const smallChunkBytes = 4_096;
const blockBytes = 16_384;

/** Collects the chunks of a body. */
export function createChunkBuffer() {
  const blocks: Buffer[] = [];
  let open: Buffer | undefined;
  let used = 0;
  return {
    add(chunk: Buffer): void {
      // Most bodies come in one chunk.
      if (chunk.length >= smallChunkBytes || (blocks.length === 0 && !open)) {
        close();
        blocks.push(chunk);
      } else copy(chunk);
    },
    concat(): Buffer {
      close();
      return Buffer.concat(blocks);
    },
  };

  function copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length;) {
      open ??= Buffer.allocUnsafeSlow(blockBytes);
      const copied = chunk.copy(open, used, from);
      from += copied;
      used += copied;
      if (used === blockBytes) close();
    }
  }

  function close(): void {
    if (open) blocks.push(open.subarray(0, used));
    open = undefined;
    used = 0;
  }
}

/**
 * Whether a body comes in suspiciously many small chunks. Reading a chunk takes a microsecond, however small it is, and only an attacker
 * needs this many. A chunk that is parsed in two pieces counts twice; the limit allows for that.
 */
export const areChunksTooSmall = (chunks: number, bytes: number) => chunks > 1_000 + bytes / 64 + bytes / 2_048;
