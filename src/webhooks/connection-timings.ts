import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { DiagnosticsChannel } from 'undici';

export interface ConnectionTimings {
  /** Of names only. */
  dnsMs?: number;
  connectMs: number;
}

const timingsBySocket = new WeakMap<Socket, ConnectionTimings>();

export const recordConnectionTimings = (socket: Socket, timings: ConnectionTimings) => void timingsBySocket.set(socket, timings);

/** For the exchange that the connection was made for; to those that follow on the same socket it cost nothing. */
export function takeConnectionTimings(socket: Socket): ConnectionTimings | undefined {
  const timings = timingsBySocket.get(socket);
  timingsBySocket.delete(socket);
  return timings;
}

let nextListener: ((socket: Socket) => void) | undefined;

/** To be called as a request starts. undici writes it in the same breath, and names its socket on this channel alone. */
export const onNextRequestSent = (listener: (socket: Socket) => void) => void (nextListener = listener);

subscribe('undici:client:sendHeaders', (message) => {
  const listener = nextListener;
  nextListener = undefined;
  listener?.((message as DiagnosticsChannel.ClientSendHeadersMessage).socket);
});
