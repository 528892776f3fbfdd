import type { Duplex } from 'node:stream';

const uploads = new WeakSet<Duplex>();

/** A request for files takes longer than others, and has time limits of its own. */
export function allowLongUpload(socket: Duplex): () => void {
  uploads.add(socket);
  return () => void uploads.delete(socket);
}

export const isLongUpload = (socket: Duplex): boolean => uploads.has(socket);
