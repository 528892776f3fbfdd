import type { ConcludedAttempt } from '../../directory/delivery/ports.ts';

/** Assignments that conclude an attempt's row. Request and response are stored only if the directory logs its webhooks. */
export const conclusionColumns = (isLogged: boolean) =>
  `outcome = :outcome, status_code = :statusCode, error = :error, ended_at = clock_timestamp()${
    isLogged
      ? `, secret_ids = cast(:secretIds as uuid[]), address = :address, request_headers = cast(:requestHeaders as jsonb),
        response_headers = cast(:responseHeaders as jsonb), response_body = :responseBody, response_truncated = :responseTruncated,
        timings = cast(:timings as jsonb)`
      : ''
  }`;

/** Bytes of a delivery's or an attempt's row with its index entries, without its texts. */
const rowBytes = 400;

/** The bytes that an attempt adds to the delivery log. */
export function attemptBytesOf({ attempt, result }: ConcludedAttempt): number {
  const { details, error = '' } = result;
  const loggedBytes = attempt.logged
    ? JSON.stringify([details.requestHeaders, details.responseHeaders, details.timings]).length +
      Buffer.byteLength(details.responseBody ?? '')
    : 0;
  return rowBytes + sealedLength(attempt.url) + error.length + loggedBytes;
}

/** The bytes that a delivery of the application adds to the delivery log with its one attempt. */
export const ownDeliveryBytes = ({ url, body }: { url: string; body: string }): number =>
  2 * rowBytes + sealedLength(url) + Buffer.byteLength(body);

/** The length of a sealed text: base64, plus the overhead of the seal. */
const sealedLength = (text: string) => 64 + Math.ceil((4 * Buffer.byteLength(text)) / 3);

/** SQL for the bytes that a settled delivery adds to the delivery log. Its body stays if it is logged. */
export const deliveryBytes = (isLogged: boolean, id: ':concludedId' | ':batchId') =>
  isLogged
    ? `${rowBytes} + coalesce((select bytes from webhook_batches where directory_id = :directoryId and id = ${id}), 0)`
    : String(rowBytes);

export function conclusionBindings({ attempt, result }: ConcludedAttempt) {
  const { details } = result;
  return {
    outcome: result.outcome,
    statusCode: result.statusCode ?? null,
    error: result.error ?? null,
    ...(attempt.logged && {
      secretIds: attempt.secrets.map(({ id }) => id),
      address: details.address ?? null,
      requestHeaders: JSON.stringify(details.requestHeaders),
      responseHeaders: JSON.stringify(details.responseHeaders ?? null),
      responseBody: details.responseBody ?? null,
      responseTruncated: details.responseTruncated ?? null,
      timings: JSON.stringify(details.timings),
    }),
  };
}
