import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { withTimeout } from '../../shared/timeout.ts';

/** How far a request got. */
export interface Probe {
  reached: boolean;
  certificate?: { rejected: string | undefined; validUntil: Date };
  status?: number;
  error?: string;
}

const timeoutMs = 6_000;

/** Sends a HEAD request to one address of a receiver. An untrusted certificate is reported, and nothing is sent. */
export const probe = (url: URL, address: string, signal: AbortSignal): Promise<Probe> =>
  withTimeout(timeoutMs, signal, (ending) => probeWithin(url, address, ending));

function probeWithin(url: URL, address: string, signal: AbortSignal): Promise<Probe> {
  return new Promise((resolve) => {
    const result: Probe = { reached: false };
    const isTls = url.protocol === 'https:';
    const request = (isTls ? requestByHttps : requestByHttp)(url, {
      method: 'HEAD',
      agent: false,
      timeout: timeoutMs,
      signal,
      lookup: (_, options, callback) =>
        options.all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address)),
      headers: { 'user-agent': 'rollcall doctor' },
      rejectUnauthorized: false,
    });
    const end = (error?: string) => {
      request.destroy();
      resolve({ ...result, ...(error !== undefined && { error }) });
    };
    request.on('socket', (socket: Socket) => {
      socket.once('connect', () => (result.reached = true));
      socket.once('secureConnect', () => {
        const { authorized, authorizationError } = socket as TLSSocket;
        const { valid_to: validUntil } = (socket as TLSSocket).getPeerCertificate();
        // The type says Error, but it is the code of one.
        const rejected = authorized ? undefined : String(authorizationError);
        result.certificate = { rejected, validUntil: new Date(validUntil) };
        if (rejected !== undefined) end('untrusted certificate');
      });
    });
    request.once('response', ({ statusCode }) => {
      if (statusCode !== undefined) result.status = statusCode;
      end();
    });
    request.once('timeout', () => end('no response in time'));
    request.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ABORT_ERR' ? 'no response in time' : (error.code ?? error.message)),
    );
    request.end();
  });
}
