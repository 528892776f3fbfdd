import { lookup } from 'node:dns/promises';
import { type Socket, isIP } from 'node:net';
import { toDisplayAddress } from '../../directory/delivery/webhook-settings.ts';
import { adviseOnFailure } from '../../directory/health/advise-on-failure.ts';
import { isAllowedAddress, parseNetworks, findUrlProblem } from '../../webhooks/address-guard.ts';
import { createFindings, type Finding } from './findings.ts';
import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { withTimeout } from '../../shared/timeout.ts';
import { createClient, type DeliveryState } from '../../client/index.ts';
import type { Connection } from '../connection.ts';
import { pluralize, shortTime } from '../output/format.ts';

interface WebhookToCheck {
  url: string;
  /** For people: whose webhook it is. */
  label: string;
  allowedNetworks: string[];
  /** A test event is sent too, so that the advice need not suggest it. */
  isTested: boolean;
  signal: AbortSignal;
}

const { ok, problem, warning } = createFindings('Webhook');
const expiresSoonMs = 14 * 86_400_000;

/** Checks each step of a webhook request, as far as this machine can see: URL, DNS, network, TLS and response. */
export async function checkWebhook({ url, label, allowedNetworks, isTested, signal }: WebhookToCheck): Promise<Finding[]> {
  if (!URL.canParse(url))
    return [problem(`${label} is not a URL: ${toDisplayAddress(url)}.`, 'Use a URL such as https://app.example/hooks.')];
  const target = new URL(url);
  const networks = parseNetworks(allowedNetworks);
  const rejection = findUrlProblem(target, networks);
  if (rejection !== undefined) return [problem(`${label} ${rejection}`, allowAdvice)];
  const hostname = target.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) ? [hostname] : await resolveAddresses(hostname);
  if (addresses.length === 0)
    return [problem(`The host name ${hostname} cannot be resolved.`, `Correct it in ${label}, or wait for its DNS record.`)];
  const allowed = addresses.find((address) => isAllowedAddress(address, networks));
  if (allowed === undefined)
    return [problem(`${hostname} resolves only to addresses that webhooks may not reach: ${addresses.join(', ')}.`, allowAdvice)];
  return [
    ok(`${target.host} resolves to ${allowed}, which webhooks may reach.`),
    ...describeProbe(target, await probe(target, allowed, signal), isTested),
  ];
}

const allowAdvice = `${adviseOnFailure({ outcome: 'blocked' })}.`;

const resolveAddresses = (hostname: string) =>
  lookup(hostname, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );

function describeProbe({ protocol, host }: URL, { reached, certificate, status, error }: Probe, isTested: boolean): Finding[] {
  if (!reached) return [problem(`Cannot connect to ${host} (${error}).`, `${adviseOnFailure({ outcome: 'connect' })}.`)];
  const findings = [ok(`Connected to ${host}.`)];
  if (protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(host))
    findings.push(warning(`${host} does not use TLS: personal data is sent unencrypted.`, 'Use an https URL.'));
  if (certificate) findings.push(certificateFinding(host, certificate));
  if (certificate?.rejected !== undefined) return findings;
  if (status === undefined) {
    findings.push(
      problem(`${host} accepts the connection but does not respond (${error}).`, `${adviseOnFailure({ outcome: 'timeout' })}.`),
    );
    return findings;
  }
  findings.push(statusFinding(host, status, isTested));
  return findings;
}

function certificateFinding(host: string, { rejected, validUntil }: NonNullable<Probe['certificate']>): Finding {
  if (rejected !== undefined)
    return problem(`The certificate of ${host} is not trusted (${rejected}).`, `${adviseOnFailure({ outcome: 'tls' })}.`);
  const remainingMs = validUntil.getTime() - Date.now();
  if (remainingMs < expiresSoonMs)
    return warning(`The certificate of ${host} expires at ${validUntil.toISOString()}.`, 'Renew it before then.');
  return ok(`The certificate of ${host} is valid until ${validUntil.toISOString().slice(0, 10)}.`);
}

/** The request was a HEAD: any response shows that a receiver is there, and little more. */
function statusFinding(host: string, status: number, isTested: boolean): Finding {
  const advice = `${adviseOnFailure({ outcome: 'http_error', statusCode: status })}.`;
  if (status >= 500)
    return warning(`${host} returned ${status}.`, isTested ? advice : `${advice} Use --send-test to send a signed test event.`);
  if (status >= 300 && status < 400) return warning(`${host} returned ${status}, a redirect, which webhooks do not follow.`, advice);
  return ok(
    `${host} responds (${status} to a request without an event).${isTested ? '' : ' Use --send-test to send a signed test event.'}`,
  );
}

/** How far a request got. */
interface Probe {
  reached: boolean;
  certificate?: { rejected: string | undefined; validUntil: Date };
  status?: number;
  error?: string;
}

const timeoutMs = 6_000;

/** Sends a HEAD request to one address of a receiver. An untrusted certificate is reported, and nothing is sent. */
const probe = (url: URL, address: string, signal: AbortSignal): Promise<Probe> =>
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

/** A receiver that responds now may still have events waiting: the schedule of retries is long, and a disabled delivery sends nothing. */
export async function checkDelivery(directoryId: string, connection: Connection, signal: AbortSignal): Promise<Finding[]> {
  const { data } = await createClient(connection).deliveries.state(directoryId, { signal });
  return data ? describeDelivery(directoryId, data) : [];
}

function describeDelivery(directoryId: string, { status, backlog, open, first_failure_at: since }: DeliveryState): Finding[] {
  const waiting = `${pluralize(backlog, 'event')} ${backlog === 1 ? 'waits' : 'wait'}`;
  switch (status) {
    case 'failing':
      return [
        warning(
          `Delivery has been failing since ${shortTime(since)}; ${waiting}.`,
          open
            ? `The reason: rollcall deliveries show ${directoryId} ${open.id}. To retry now: rollcall deliveries retry ${directoryId} ${open.id}`
            : "Check the receiver's log.",
        ),
      ];
    case 'paused':
      return [warning(`Delivery is paused; ${waiting}.`, `To continue: rollcall deliveries resume ${directoryId}`)];
    case 'disabled':
    case 'misconfigured':
      return [problem(`Delivery is ${status}; ${waiting}.`, `After a fix: rollcall deliveries resume ${directoryId} --from backlog`)];
    case 'active':
    case 'no_webhook':
      return [];
  }
}
