// The other tenant, in its own process, so that the cost of the attack for the test does not count.
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FromOtherTenant, OtherTenantOptions, ToOtherTenant } from './other-tenant.ts';

const everyMs = 100;
const timeoutMs = 30_000;
const { baseUrl, id: directoryId, secret } = JSON.parse(process.argv[2]!) as OtherTenantOptions;
const { hostname, port } = new URL(baseUrl);
const keptAlive = new Agent({ keepAlive: true });

const inFlight = new Set<Promise<void>>();
let lastId: string | undefined;
let timings: number[] = [];
let failures: string[] = [];
let isStopped = false;

const report = (message: FromOtherTenant) => process.send!(message);
process.on('message', (message: ToOtherTenant) => {
  if (message === 'figures') void Promise.all(inFlight).then(sendFigures);
  else isStopped = true;
});
process.on('disconnect', () => process.exit());

await run();
await Promise.all(inFlight);
sendFigures();
process.disconnect();

/** Requests begin on time even while earlier ones wait, so that a stall shows in all of them. */
async function run() {
  const startedMs = performance.now();
  for (let count = 0; !isStopped; count += 1) {
    for (const begin of [push, read]) {
      const done = begin(count).finally(() => inFlight.delete(done));
      inFlight.add(done);
    }
    await delay(Math.max(0, startedMs + (count + 1) * everyMs - performance.now()));
  }
}

async function push(count: number) {
  const userName = `other-tenant-${count}@example.com`;
  const body = JSON.stringify({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName });
  const made = await timed(count, 'POST', '/Users', body);
  if (made === undefined) return;
  lastId = (JSON.parse(made) as { id: string }).id;
  report({ acknowledged: lastId });
}

async function read(count: number) {
  await timed(count, 'GET', lastId === undefined ? '/Users?count=1' : `/Users/${lastId}`);
}

/** Returns the body of a success. */
async function timed(count: number, method: string, path: string, body?: string): Promise<string | undefined> {
  const startedMs = performance.now();
  try {
    const response = await send(count, method, path, body);
    if (response.status < 400) return response.text;
    failures.push(`${method}: ${response.status} ${response.text}`);
  } catch (error) {
    failures.push(`${method}: ${(error as Error).message}`);
  } finally {
    timings.push(performance.now() - startedMs);
  }
  return undefined;
}

/** Some providers keep their connections, others open one for each request. */
function send(count: number, method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        path: `/api/scim/v2.0/${directoryId}${path}`,
        agent: count % 2 === 0 ? keptAlive : false,
        timeout: timeoutMs,
        headers: { authorization: `Bearer ${secret}`, ...(body !== undefined && { 'content-type': 'application/scim+json' }) },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode!, text }));
        response.on('error', reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${timeoutMs} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

function sendFigures() {
  const sorted = timings.toSorted((a, b) => a - b);
  report({
    requests: timings.length,
    failures,
    worstMs: Math.round(sorted.at(-1) ?? 0),
    medianMs: Math.round(sorted[sorted.length >> 1] ?? 0),
  });
  [timings, failures] = [[], []];
}
