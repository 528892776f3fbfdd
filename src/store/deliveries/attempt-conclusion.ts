import type { Concluded } from '../../directory/delivery/ports.ts';

/** What an attempt's row says in the end; what was said goes in only where it is to be kept. */
export const conclusionColumns = (isLogged: boolean) =>
  `outcome = :outcome, status_code = :statusCode, error = :error, ended_at = clock_timestamp()${
    isLogged
      ? `, secret_ids = cast(:secretIds as uuid[]), address = :address, request_headers = cast(:requestHeaders as jsonb),
        response_headers = cast(:responseHeaders as jsonb), response_body = :responseBody, response_truncated = :responseTruncated,
        timings = cast(:timings as jsonb)`
      : ''
  }`;

/** What a row of a delivery or of an attempt takes besides its texts, with its indexes. */
const rowBytes = 400;

/** What the delivery log grows by with an attempt. */
export function attemptBytesOf({ attempt, result }: Concluded): number {
  const { exchange, error = '' } = result;
  const said = attempt.logged
    ? JSON.stringify([exchange.requestHeaders, exchange.responseHeaders, exchange.timings]).length +
      Buffer.byteLength(exchange.responseBody ?? '')
    : 0;
  return rowBytes + sealedLength(attempt.url) + error.length + said;
}

/** In base64, with what a seal adds. */
const sealedLength = (text: string) => 64 + Math.ceil((4 * Buffer.byteLength(text)) / 3);

/** And with the delivery itself once it is settled, as SQL: its body stays where it is logged. */
export const deliveryBytes = (isLogged: boolean, id: ':concludedId' | ':batchId') =>
  isLogged
    ? `${rowBytes} + coalesce((select bytes from webhook_batches where directory_id = :directoryId and id = ${id}), 0)`
    : String(rowBytes);

export function conclusionBindings({ attempt, result }: Concluded) {
  const { exchange } = result;
  return {
    outcome: result.outcome,
    statusCode: result.statusCode ?? null,
    error: result.error ?? null,
    ...(attempt.logged && {
      secretIds: attempt.secrets.map(({ id }) => id),
      address: exchange.address ?? null,
      requestHeaders: JSON.stringify(exchange.requestHeaders),
      responseHeaders: JSON.stringify(exchange.responseHeaders ?? null),
      responseBody: exchange.responseBody ?? null,
      responseTruncated: exchange.responseTruncated ?? null,
      timings: JSON.stringify(exchange.timings),
    }),
  };
}
