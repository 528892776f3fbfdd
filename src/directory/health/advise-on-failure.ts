import type { FailedOutcome } from '../delivery/ports.ts';

/** What the last attempt to deliver saw. */
export interface SeenFailure {
  outcome: FailedOutcome;
  /** Undefined if there was no response. */
  statusCode?: number | undefined;
}

/** What to do about a failed attempt, without the period. The health of a directory and `doctor` say the same. */
export const adviseOnFailure = ({ outcome, statusCode }: SeenFailure): string =>
  statusCode === undefined ? withoutResponse[outcome] : adviseOnStatus(statusCode);

const withoutResponse: Record<FailedOutcome, string> = {
  timeout: 'Check that the receiver acknowledges an event before it processes it, and that no firewall drops the connection',
  dns: 'Correct the host name of the webhook URL, or its DNS record',
  tls: 'Use a certificate from a public authority, with its intermediate certificates',
  connect: 'Start the receiver, and check for a firewall in between',
  blocked: 'Use a public address, or allow the network in WEBHOOK_ALLOWED_NETWORKS',
  http_error: 'Fix the receiver of the webhook, as the last error explains',
};

const byStatus: Record<number, string> = {
  401: 'Check how the receiver verifies signatures and with which secret, and that it requires no other credentials',
  403: 'Check for a firewall or proxy that blocks the webhook, and how the receiver verifies signatures',
  404: 'Correct the path of the webhook URL, or add the route to the receiver',
  405: 'Let the receiver accept POST at the path of the webhook URL, or correct that path',
  408: withoutResponse.timeout,
  410: 'Set another webhook URL, or let the receiver stop responding with 410, which says that it is gone for good',
  413: 'Raise the limit of request bodies at the receiver and at the proxy in front of it',
  429: 'Raise the rate limit of the receiver, or wait until it accepts events again',
};

/** A 2xx whose body is incomplete is a failure too, so every range has advice. */
function adviseOnStatus(status: number): string {
  const known = byStatus[status];
  if (known !== undefined) return known;
  if (status >= 500) return "Check the receiver's log";
  if (status >= 400) return `Check in the receiver's log why it rejects the webhook with ${status}`;
  if (status >= 300) return 'Use the URL it redirects to as the webhook URL';
  return withoutResponse.http_error;
}
