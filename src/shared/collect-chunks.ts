/** A chunk that is smaller is copied: an object for each of very many would take a hundred times the memory of what is in them. */
const smallChunkBytes = 4_096;
const blockBytes = 16_384;

/** Keeps the chunks of a body until it is whole. */
export function createChunks() {
  const blocks: Buffer[] = [];
  let open: Buffer | undefined;
  let used = 0;
  return {
    add(chunk: Buffer): void {
      // Most bodies come in one.
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
 * Reading a chunk takes a microsecond, however small it is. No client needs so many; they are the doing of somebody who wants to be a burden.
 * One that is parsed in two pieces counts twice, which is no client's doing.
 */
export const areTooSmall = (chunks: number, bytes: number) => chunks > 1_000 + bytes / 64 + bytes / 2_048;
