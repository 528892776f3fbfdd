import type { LookupAddress } from 'node:dns';
import type { TlsOptions } from 'node:tls';
import type { Agent } from 'undici';
import type { LookupAll } from '../../src/webhooks/fair-lookup.ts';
import { createGuardedAgent, parseNetworks, type GuardedAgentOptions } from '../../src/webhooks/address-guard.ts';
import { createSendWebhook } from '../../src/webhooks/send-webhook.ts';
import { createIdentity, startHostileReceiver, startTlsReceiver, type HostileReceiver, type Misbehave } from './hostile-receiver.ts';
import type { SendResult } from '../../src/directory/delivery/ports.ts';

export const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
export const endless = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

interface Closable {
  close(): Promise<unknown>;
}
const open: Closable[] = [];
/** Must be called after each test. Closes what it has opened, in reverse order. */
export async function closeOpened(): Promise<void> {
  for (const each of open.splice(0).toReversed()) await each.close();
}
export function closeLater<T extends Closable>(opened: T): T {
  open.push(opened);
  return opened;
}

export const hostile = async (misbehave: Misbehave, host?: string): Promise<HostileReceiver> =>
  closeLater(await startHostileReceiver(misbehave, host));

export const secure = async (identity: TlsOptions = createIdentity()): Promise<HostileReceiver> =>
  closeLater(await startTlsReceiver((socket) => void socket.write(ok), identity));

export function agentFor(networks = ['127.0.0.0/8'], world: GuardedAgentOptions = {}): Agent {
  const agent = createGuardedAgent(parseNetworks(networks), 5_000, world);
  closeLater({ close: () => agent.destroy() });
  return agent;
}

export const post = (
  url: string,
  {
    dispatcher = agentFor(),
    timeoutMs = 5_000,
    signal = new AbortController().signal,
  }: { dispatcher?: Agent; timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<SendResult> =>
  createSendWebhook({ dispatcher, legacySignatures: false })(
    { id: 'msg_1', url, body: '{"a":1}', secrets: [{ id: 's1', secret: 'secret' }], legacySignatures: false },
    { signal, timeoutMs },
  );

/** A name server that resolves every name to each of these in turn, and then always to the last. */
export function resolveNamesTo(...responses: string[][]): { lookup: LookupAll; lookups: string[] } {
  const lookups: string[] = [];
  const stub = (name: string, _options: unknown, callback: (error: null, addresses: LookupAddress[]) => void) => {
    const addresses = responses[Math.min(lookups.length, responses.length - 1)]!;
    lookups.push(name);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup: stub, lookups };
}
