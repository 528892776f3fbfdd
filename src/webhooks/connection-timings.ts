import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { DiagnosticsChannel } from 'undici';

export interface ConnectionTimings {
  /** Absent if the address is an IP address. */
  dnsMs?: number;
  connectMs: number;
}

const timingsBySocket = new WeakMap<Socket, ConnectionTimings>();

export const recordConnectionTimings = (socket: Socket, timings: ConnectionTimings) => void timingsBySocket.set(socket, timings);

/** Returns the timings to the first request on a connection only: later requests did not pay for it. */
export function takeConnectionTimings(socket: Socket): ConnectionTimings | undefined {
  const timings = timingsBySocket.get(socket);
  timingsBySocket.delete(socket);
  return timings;
}

let nextListener: ((socket: Socket) => void) | undefined;

/** Must be called as a request starts. undici sends it synchronously, and names its socket only on this channel. */
export const onNextRequestSent = (listener: (socket: Socket) => void) => void (nextListener = listener);

subscribe('undici:client:sendHeaders', (message) => {
  const listener = nextListener;
  nextListener = undefined;
  listener?.((message as DiagnosticsChannel.ClientSendHeadersMessage).socket);
});
