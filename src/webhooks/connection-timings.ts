import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { DiagnosticsChannel } from 'undici';

export interface ConnectionTimings {
  /** Of names only. */
  dnsMs?: number;
  connectMs: number;
}

const made = new WeakMap<Socket, ConnectionTimings>();

export const noteConnection = (socket: Socket, timings: ConnectionTimings) => void made.set(socket, timings);

/** For the exchange that the connection was made for; to those that follow on the same socket it cost nothing. */
export function takeConnectionTimings(socket: Socket): ConnectionTimings | undefined {
  const timings = made.get(socket);
  made.delete(socket);
  return timings;
}

let tell: ((socket: Socket) => void) | undefined;

/** To be called as a request starts. undici writes it in the same breath, and names its socket on this channel alone. */
export const onNextWritten = (listener: (socket: Socket) => void) => void (tell = listener);

subscribe('undici:client:sendHeaders', (message) => {
  const listener = tell;
  tell = undefined;
  listener?.((message as DiagnosticsChannel.ClientSendHeadersMessage).socket);
});
