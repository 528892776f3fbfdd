import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Random } from './random.ts';

/** Ways to respond. `lost` is a 2xx that never arrives completely. */
type ResponseKind = '200' | '204' | 'slow' | 'lost' | '500' | '503' | '429' | '413' | 'hang' | 'reset';

export interface Receipt {
  webhookId: string;
  from: number;
  to: number;
  atMs: number;
  response: ResponseKind;
  /** Acknowledged, as far as the receiver knows. */
  accepted: boolean;
  digest: string;
  signatureProblem: string | undefined;
  /** `again` repeats the newest acknowledged event, `late` an earlier one. */
  place: 'next' | 'again' | 'late' | 'early';
}

export interface Receiver {
  url: string;
  receipts: Receipt[];
  /** The ids and contents of each event by its sequence: exactly one, unless there is a bug. */
  seen: Map<number, Set<string>>;
  acceptedTo(): number;
  heal(): void;
  /** Leaves requests without a response until the function that it returns is called. */
  hold(): () => void;
  /** The secret for its signatures. */
  trust(secret: string): void;
  close(): Promise<void>;
}

const weights: Record<ResponseKind, number> = {
  '200': 68,
  '204': 8,
  slow: 4,
  lost: 4,
  '500': 2.5,
  '503': 2.5,
  '429': 1.5,
  '413': 4,
  hang: 2,
  reset: 3.5,
};
const acknowledgements = new Set<ResponseKind>(['200', '204', 'slow', 'lost']);

interface SentEvent {
  id: string;
  sequence: number;
}

/** A webhook endpoint that fails in every way until `heal` is called. It records each complete request. */
export async function startUnreliableReceiver(random: Random): Promise<Receiver> {
  const receipts: Receipt[] = [];
  const seen = new Map<number, Set<string>>();
  const ranges = new Map<string, number>();
  let acceptedTo = 0;
  let isHealed = false;
  let isHeld = false;
  let secret = '';

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => give(response, note(request.headers, Buffer.concat(chunks).toString())));
    response.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    receipts,
    seen,
    acceptedTo: () => acceptedTo,
    heal: () => void (isHealed = true),
    hold() {
      isHeld = true;
      return () => void (isHeld = false);
    },
    trust: (webhookSecret) => void (secret = webhookSecret),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  function note(headers: IncomingHttpHeaders, text: string): ResponseKind {
    const webhookId = String(headers['webhook-id']);
    const events = [JSON.parse(text) as SentEvent | SentEvent[]].flat();
    const [from, to] = [events[0]!.sequence, events.at(-1)!.sequence];
    for (const event of events) {
      const contents = seen.get(event.sequence) ?? new Set();
      seen.set(event.sequence, contents.add(`${event.id} ${digestOf(JSON.stringify(event))}`));
    }
    const isContiguous = events.every(({ sequence }, index) => sequence === from + index);
    const place = isContiguous ? placeOf(webhookId, from, to) : 'early';
    const kind = choose(events.length, place);
    const accepted = acknowledgements.has(kind);
    if (accepted && place === 'next') acceptedTo = to;
    ranges.set(webhookId, to);
    const signatureProblem = verify(text, headers);
    receipts.push({ webhookId, from, to, atMs: Date.now(), response: kind, accepted, digest: digestOf(text), signatureProblem, place });
    return kind;
  }

  function placeOf(webhookId: string, from: number, to: number): Receipt['place'] {
    if (from === acceptedTo + 1) return 'next';
    if (from > acceptedTo) return 'early';
    if (!ranges.has(webhookId)) return 'early';
    return to === acceptedTo ? 'again' : 'late';
  }

  /** An acknowledged batch is not rejected for its content later: it would be split, and get other ids. */
  function choose(events: number, place: Receipt['place']): ResponseKind {
    if (isHeld) return 'hang';
    if (isHealed) return '200';
    const kind = random.weigh(weights);
    return kind === '413' && (events === 1 || place !== 'next') ? '500' : kind;
  }

  function verify(text: string, headers: IncomingHttpHeaders): string | undefined {
    try {
      new Webhook(secret).verify(text, headers as Record<string, string>);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  function give(response: ServerResponse, kind: ResponseKind): void {
    switch (kind) {
      case 'hang':
        return;
      case 'reset':
        return void response.socket?.resetAndDestroy();
      case 'lost':
        response.writeHead(200, { 'content-length': '10' });
        response.flushHeaders();
        return void setImmediate(() => response.socket?.destroy());
      case 'slow':
        return void setTimeout(() => response.end('slow'), random.between(200, 600));
      case '429':
        return void response.writeHead(429, { 'retry-after': '1' }).end();
      case '200':
      case '204':
        return void setTimeout(() => response.writeHead(Number(kind)).end(), isHealed ? 0 : random.between(5, 40));
      case '413':
      case '500':
      case '503':
        return void response.writeHead(Number(kind)).end();
    }
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
