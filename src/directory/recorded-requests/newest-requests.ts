import type { SentRequest } from './recorded-request.ts';

export const keptPerDirectory = 100;

/** The newest requests of each directory. When memory is full, the oldest request of all directories is dropped. */
export function createNewestRequests(maxBytes: number) {
  let all = new Set<SentRequest>();
  let byDirectory = new Map<string, SentRequest[]>();
  let bytes = 0;

  return {
    add(request: SentRequest): void {
      const own = byDirectory.get(request.directoryId);
      if (!own) byDirectory.set(request.directoryId, [request]);
      else own.push(request);
      all.add(request);
      bytes += sizeOf(request);
      if (own && own.length > keptPerDirectory) dropOldestOf(own);
      while (bytes > maxBytes) {
        const [oldest] = all;
        dropOldestOf(byDirectory.get(oldest!.directoryId)!);
      }
    },

    isEmpty: () => all.size === 0,

    takeAll(): SentRequest[] {
      const taken = [...all];
      all = new Set();
      byDirectory = new Map();
      bytes = 0;
      return taken;
    },
  };

  function dropOldestOf(own: SentRequest[]) {
    const oldest = own.shift()!;
    if (own.length === 0) byDirectory.delete(oldest.directoryId);
    all.delete(oldest);
    bytes -= sizeOf(oldest);
  }
}

/** Upper limit of the memory: JavaScript needs up to two bytes per character. */
const sizeOf = ({ url, userAgent, contentType, error, body }: SentRequest) =>
  1_000 + 2 * (url.length + userAgent.length + contentType.length + (error?.detail.length ?? 0) + (body?.text?.length ?? 0));
