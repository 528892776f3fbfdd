import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** How far a request came. */
export interface Knocked {
  reached: boolean;
  certificate?: { refused: string | undefined; validUntil: Date };
  status?: number;
  error?: string;
}

const patienceMs = 6_000;

/** A HEAD to one address of a receiver. A bad certificate is looked at, too, and nothing is sent then. */
export function knock(url: URL, address: string, signal: AbortSignal): Promise<Knocked> {
  return new Promise((resolve) => {
    const knocked: Knocked = { reached: false };
    const isTls = url.protocol === 'https:';
    const asking = (isTls ? requestByHttps : requestByHttp)(url, {
      method: 'HEAD',
      agent: false,
      timeout: patienceMs,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      lookup: (_, options, callback) =>
        options.all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address)),
      headers: { 'user-agent': 'rollcall doctor' },
      rejectUnauthorized: false,
    });
    const end = (error?: string) => {
      asking.destroy();
      resolve({ ...knocked, ...(error !== undefined && { error }) });
    };
    asking.on('socket', (socket: Socket) => {
      socket.once('connect', () => (knocked.reached = true));
      socket.once('secureConnect', () => {
        const { authorized, authorizationError } = socket as TLSSocket;
        const { valid_to: validUntil } = (socket as TLSSocket).getPeerCertificate();
        // Its type says Error; it is the code of one.
        const refused = authorized ? undefined : String(authorizationError);
        knocked.certificate = { refused, validUntil: new Date(validUntil) };
        if (refused !== undefined) end('the certificate is not taken');
      });
    });
    asking.once('response', ({ statusCode }) => {
      if (statusCode !== undefined) knocked.status = statusCode;
      end();
    });
    asking.once('timeout', () => end('no answer in time'));
    asking.once('error', (error: NodeJS.ErrnoException) =>
      end(error.name === 'TimeoutError' || error.code === 'ABORT_ERR' ? 'no answer in time' : (error.code ?? error.message)),
    );
    asking.end();
  });
}
