import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { toDisplayAddress } from '../../directory/webhook-address.ts';
import { isAllowedAddress, parseNetworks, refuseUrl } from '../../webhooks/guard.ts';
import { createFindings, type Finding } from './finding.ts';
import { knock, type Knocked } from './knock.ts';

export interface WebhookToCheck {
  url: string;
  /** In words: whose it is. */
  named: string;
  allowedNetworks: string[];
  /** A test event is sent besides, and need not be advised. */
  isTested: boolean;
  signal: AbortSignal;
}

const { ok, problem, warning } = createFindings('Webhook');
const soonMs = 14 * 86_400_000;

/** Every step of the way that a webhook takes, as far as it shows from this machine. */
export async function checkWebhook({ url, named, allowedNetworks, isTested, signal }: WebhookToCheck): Promise<Finding[]> {
  if (!URL.canParse(url)) return [problem(`${named} is no address: ${toDisplayAddress(url)}.`, 'Give one like https://app.example/hooks.')];
  const target = new URL(url);
  const networks = parseNetworks(allowedNetworks);
  const refusal = refuseUrl(target, networks);
  if (refusal !== undefined)
    return [problem(`${named} ${refusal}`, 'Give a public address, or open the network with WEBHOOK_ALLOWED_NETWORKS.')];
  const hostname = target.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) ? [hostname] : await resolve(hostname);
  if (addresses.length === 0)
    return [problem(`${hostname} is not known to the name server.`, `Correct the name in ${named}, or wait until its entry is known.`)];
  const usable = addresses.find((address) => isAllowedAddress(address, networks));
  if (usable === undefined)
    return [
      problem(
        `${hostname} leads only to addresses that webhooks may not go to: ${addresses.join(', ')}.`,
        'Give a public address, or open the network with WEBHOOK_ALLOWED_NETWORKS.',
      ),
    ];
  return [ok(`${target.host} leads to ${usable}, where webhooks may go.`), ...judge(target, await knock(target, usable, signal), isTested)];
}

const resolve = (hostname: string) =>
  lookup(hostname, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );

function judge({ protocol, host }: URL, { reached, certificate, status, error }: Knocked, isTested: boolean): Finding[] {
  if (!reached)
    return [
      problem(
        `No connection to ${host} can be made (${error}).`,
        'Start the receiver, and look whether a firewall lets this machine through.',
      ),
    ];
  const findings = [ok(`A connection to ${host} can be made.`)];
  if (protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(host))
    findings.push(warning(`${host} is reached without TLS: people's data travels in clear.`, 'Use an https address.'));
  if (certificate) findings.push(certificateFinding(host, certificate));
  if (certificate?.refused !== undefined) return findings;
  if (status === undefined) {
    findings.push(problem(`${host} takes the connection and does not answer (${error}).`, 'Look at the log of the receiver.'));
    return findings;
  }
  findings.push(statusFinding(host, status, isTested));
  return findings;
}

function certificateFinding(host: string, { refused, validUntil }: NonNullable<Knocked['certificate']>): Finding {
  if (refused !== undefined)
    return problem(
      `The certificate of ${host} is not taken (${refused}).`,
      'Give the receiver a certificate of a public authority, with all between.',
    );
  const left = validUntil.getTime() - Date.now();
  if (left < soonMs) return warning(`The certificate of ${host} ends at ${validUntil.toISOString()}.`, 'Renew it before.');
  return ok(`The certificate of ${host} is good until ${validUntil.toISOString().slice(0, 10)}.`);
}

/** The question was a HEAD without a body: what a receiver answers to it says that it is there, and little more. */
function statusFinding(host: string, status: number, isTested: boolean): Finding {
  if (status >= 500)
    return warning(
      `${host} answers ${status}.`,
      isTested ? 'Look at the log of the receiver.' : 'Look at the log of the receiver; --send-test sends a signed test event to it.',
    );
  if (status >= 300 && status < 400)
    return warning(
      `${host} answers ${status}, a redirect, which webhooks do not follow.`,
      'Make the place that it points to the webhook address.',
    );
  return ok(`${host} answers (${status} to a request without an event).${isTested ? '' : ' --send-test sends a signed test event.'}`);
}
