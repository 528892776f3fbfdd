import { createClient, type Client } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startSides, type RunningSide } from './support/sides.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';
import { timeAlternately } from './support/time-alternately.ts';

const introduction = `
One administrator creates directories (POST /api/v1/directory-sync), changes their names, and reads them with their secrets. With
--before, alternately in Rollcall and in an earlier version, each with its own database in the same Postgres.
`;

const path = '/api/v1/directory-sync';
const targets = { create: 1.2, update: 1.2, read: 1.05 };
type Operation = keyof typeof targets;

/** Measures the overhead of administrative operations, such as their entry in the audit log. */
export async function measureDirectories(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(cleanup);
  const sides = await startSides(
    { ...options, sides: options.before === undefined ? ['rollcall'] : options.sides },
    { servers, environment: await prepareRollcall(servers) },
    cleanup,
  );
  const callers = sides.map((side) => [side.side, startCaller(side, cleanup)] as const);
  const print = startTable([
    { title: 'operation', width: 8 },
    ...callers.flatMap(([name]) => ['p50', 'p95'].map((title) => ({ title: `${name}: ${title} ms`, width: 17 }))),
  ]);
  const rows: Partial<Record<Operation, Record<string, { p50Ms: number; p95Ms: number }>>> = {};
  for (const operation of Object.keys(targets) as Operation[]) {
    const times = await timeAlternately(
      Object.fromEntries(callers.map(([name, caller]) => [name, caller[operation]])),
      options.requests * 5,
    );
    rows[operation] = times;
    print([operation, ...Object.values(times).flatMap(({ p50Ms, p95Ms }) => [p50Ms, p95Ms].map(formatNumber))]);
  }
  console.log('');
  if (options.before === undefined) return { machine, options, rows };
  for (const [operation, times] of Object.entries(rows))
    printTarget({
      title: `${operation} a directory vs before, p50`,
      value: times['rollcall']!.p50Ms / times['before']!.p50Ms,
      relation: '≤',
      bound: targets[operation as Operation],
      unit: 'x',
    });
  return { machine, options, rows };
}

function startCaller({ baseUrl, apiKey }: RunningSide, cleanup: Cleanup): Record<Operation, () => Promise<number>> {
  const client = createClient({ baseUrl, signal: cleanup.signal });
  cleanup.add(() => client.close());
  const created: string[] = [];
  let count = 0;
  // The first read of a directory in an hour adds an entry to the audit log. With few directories, nearly all reads are later ones.
  const nextId = () => created[(count += 1) % 20]!;
  const send = (request: Pick<Parameters<Client['send']>[0], 'method' | 'path' | 'body'>) =>
    client.send({
      ...request,
      secret: '',
      headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
      statuses: [200, 201],
    });
  return {
    async create() {
      const { ms, text, failure } = await send({ method: 'POST', path, body: { tenant: 'bench', product: `bench ${created.length}` } });
      if (failure !== undefined) throw new Error(failure);
      created.push((JSON.parse(text) as { data: { id: string } }).data.id);
      return ms;
    },
    update: () => timeOf(send({ method: 'PATCH', path: `${path}/${nextId()}`, body: { name: `Bench ${count}` } })),
    read: () => timeOf(send({ method: 'GET', path: `${path}/${nextId()}` })),
  };
}

async function timeOf(sent: ReturnType<Client['send']>): Promise<number> {
  const { ms, failure } = await sent;
  if (failure !== undefined) throw new Error(failure);
  return ms;
}
