import { errors, request, type Dispatcher } from 'undici';
import type { AttemptOutcome, SendResult, SendWebhook } from '../directory/ports.ts';
import { BlockedAddressError } from './guard.ts';
import { signatureHeaders } from './sign.ts';

export interface SenderOptions {
  dispatcher: Dispatcher;
  now?: () => number;
}

/** One POST. Only 2xx is a success; redirects are not followed; whatever happens is a result, never an exception. */
export function createSender({ dispatcher, now = Date.now }: SenderOptions): SendWebhook {
  return async function send({ batch, url, secrets }, { signal, timeoutMs }) {
    const whole = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const { statusCode, body } = await request(url, {
        dispatcher,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Rollcall-Webhooks/1',
          ...signatureHeaders({ id: batch.id, body: batch.body, secrets, atMs: now() }),
        },
        body: batch.body,
        signal: whole,
      });
      await body.dump({ limit: 16_384, signal: whole });
      return statusCode >= 200 && statusCode < 300
        ? { outcome: 'success', statusCode }
        : { outcome: 'http_error', statusCode, error: `answered ${statusCode}` };
    } catch (error) {
      return toResult(error, { aborted: signal.aborted, timeoutMs });
    }
  };
}

function toResult(error: unknown, { aborted, timeoutMs }: { aborted: boolean; timeoutMs: number }): SendResult {
  if (aborted) return { outcome: 'aborted', error: 'The worker was stopped.' };
  const timedOut = (error as Error).name === 'TimeoutError' || error instanceof errors.ConnectTimeoutError;
  if (timedOut) return { outcome: 'timeout', error: `no whole answer within ${timeoutMs} ms` };
  return { outcome: classify(error), error: (error as Error).message };
}

function classify(error: unknown): AttemptOutcome {
  if (error instanceof BlockedAddressError) return 'blocked';
  const code = (error as { code?: string }).code ?? '';
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'dns';
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return 'tls';
  return 'connect';
}
