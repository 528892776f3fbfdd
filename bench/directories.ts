import { createClient, type Client } from './support/client.ts';
import type { Closing } from './support/closing.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { startServers } from './support/servers.ts';
import { prepareRollcall, startSides, type RunningSide } from './support/sides.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';
import { timeInTurn } from './support/time-in-turn.ts';

const introduction = `
One administrator creates directories (POST /api/v1/directory-sync), changes their names, and reads them with their secrets. With
--before, alternately in Rollcall and in an earlier version, each with its own database in the same Postgres.
`;

const path = '/api/v1/directory-sync';
const aims = { create: 1.2, update: 1.2, read: 1.05 };
type Act = keyof typeof aims;

/** The cost of what every administrative act does, such as its entry in the audit log. */
export async function measureDirectories(options: Options, closing: Closing): Promise<object> {
  const machine = introduce(introduction);
  const servers = await startServers(closing);
  const sides = await startSides(
    { ...options, sides: options.before === undefined ? ['rollcall'] : options.sides },
    { servers, environment: await prepareRollcall(servers) },
    closing,
  );
  const callers = sides.map((side) => [side.side, startCaller(side, closing)] as const);
  const print = startTable([
    { title: 'act', width: 8 },
    ...callers.flatMap(([name]) => ['p50', 'p95'].map((title) => ({ title: `${name}: ${title} ms`, width: 17 }))),
  ]);
  const rows: Partial<Record<Act, Record<string, { p50Ms: number; p95Ms: number }>>> = {};
  for (const act of Object.keys(aims) as Act[]) {
    const times = await timeInTurn(Object.fromEntries(callers.map(([name, caller]) => [name, caller[act]])), options.requests * 5);
    rows[act] = times;
    print([act, ...Object.values(times).flatMap(({ p50Ms, p95Ms }) => [p50Ms, p95Ms].map(formatNumber))]);
  }
  console.log('');
  if (options.before === undefined) return { machine, options, rows };
  for (const [act, times] of Object.entries(rows))
    printTarget({
      title: `${act} a directory vs before, p50`,
      value: times['rollcall']!.p50Ms / times['before']!.p50Ms,
      relation: '≤',
      bound: aims[act as Act],
      unit: 'x',
    });
  return { machine, options, rows };
}

function startCaller({ baseUrl, apiKey }: RunningSide, closing: Closing): Record<Act, () => Promise<number>> {
  const client = createClient({ baseUrl, signal: closing.signal });
  closing.add(() => client.close());
  const made: string[] = [];
  let count = 0;
  // Few, so that nearly all reads are not the first of an hour, which is an entry in the audit log.
  const nextId = () => made[(count += 1) % 20]!;
  const send = (request: Pick<Parameters<Client['send']>[0], 'method' | 'path' | 'body'>) =>
    client.send({
      ...request,
      secret: '',
      headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
      statuses: [200, 201],
    });
  return {
    async create() {
      const { ms, text, failure } = await send({ method: 'POST', path, body: { tenant: 'bench', product: `bench ${made.length}` } });
      if (failure !== undefined) throw new Error(failure);
      made.push((JSON.parse(text) as { data: { id: string } }).data.id);
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
