import { printTarget, formatNumber, startTable } from '../support/table.ts';
import { alternate, compare } from '../support/alternate.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { createDirectories } from '../support/directories.ts';
import type { Options } from '../support/options.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Servers } from '../support/servers.ts';
import { createUserSource } from '../support/load.ts';
import { startDelivering } from './rollcall.ts';

const writers = 8;

/** Measures how a dead receiver affects SCIM requests. */
export async function measureDeadReceiver(servers: Servers, { seconds, rounds }: Options, cleanup: Cleanup): Promise<object> {
  console.log(`\nUsers created by ${writers} writers in 8 directories, with a healthy webhook receiver and with none:\n`);
  const rollcall = await startDelivering(servers, cleanup, { name: 'dead' });
  const receiver = await startReceiver(cleanup);
  const urls = { healthy: receiver.url, dead: `http://127.0.0.1:${await findFreePort()}/` };
  const contenders = [];
  for (const name of ['healthy', 'dead'] as const) {
    const directories = await createDirectories({ ...rollcall, count: writers, webhookUrl: urls[name] });
    contenders.push({ name, baseUrl: rollcall.baseUrl, pids: { node: rollcall.pid }, source: createUserSource(directories) });
  }
  const { summaries } = await alternate(contenders, { writers, seconds, rounds }, cleanup);
  const { healthy, dead } = summaries;
  const print = startTable(['receiver', 'users/s', 'p50 ms', 'p95 ms', 'p99 ms'].map((title) => ({ title, width: 8 })));
  for (const [name, { perSecond, p50Ms, p95Ms, p99Ms }] of Object.entries(summaries))
    print([name, ...[perSecond, p50Ms, p95Ms, p99Ms].map(formatNumber)]);
  const ratio = compare(dead!.slices, healthy!.slices, 'p99Ms');
  await rollcall.stop();
  console.log('');
  printTarget({ title: 'SCIM p99, dead receiver vs healthy one', value: ratio, relation: '≤', bound: 1.1, unit: 'x' });
  return { summaries, ratio };
}
