import type { Knex } from 'knex';
import type { TestDirectory } from '../service.ts';
import type { Fault } from './faults.ts';
import type { Figure } from './figures.ts';
import type { Acknowledged } from './providers.ts';
import type { Receipt, Receiver } from './receiver.ts';

/** A directory, its receiver, and the writes that its identity providers got acknowledged. */
export interface Side {
  directory: TestDirectory;
  receiver: Receiver;
  acknowledged: Acknowledged;
}

type Counts = Record<string, number>;

/** Compares what the receivers got with Postgres. `timeoutFactor`: how many times longer everything may take on a busy machine. */
export async function findViolations(db: Knex, sides: Side[], faults: Fault[], timeoutFactor: number): Promise<Figure[]> {
  const results: { found: Found; counts: Counts }[] = [];
  for (const side of sides) results.push(await checkDirectory(db, side, faults, timeoutFactor));
  const sum = (read: (one: (typeof results)[number]) => number | undefined) => results.reduce((total, one) => total + (read(one) ?? 0), 0);
  const of = (name: string) => sum(({ counts }) => counts[name]);
  const worst = (name: string) => Math.max(...results.map(({ counts }) => counts[name] ?? 0));
  return [
    { title: 'Events', value: of('events') },
    { title: 'Webhooks received', value: of('received') },
    { title: 'Webhooks acknowledged (2xx)', value: of('acknowledged') },
    { title: 'Attempt rows', value: of('attempts') },
    { title: 'Aborted attempts', value: of('cutOff') },
    { title: 'Events lost', value: of('lost'), atMost: 0 },
    { title: 'Sequence numbers missing in Postgres', value: of('missing'), atMost: 0 },
    { title: 'Webhooks out of order', value: of('early'), atMost: 0 },
    { title: 'Repetitions after newer events, unexplained', value: of('late'), atMost: 0 },
    { title: 'Repetitions after newer events, by a frozen worker', value: of('lateAfterFreeze') },
    { title: 'Distinct bytes per webhook-id', value: worst('distinctBytes'), atMost: 1 },
    { title: 'Distinct contents per event', value: worst('distinctContents'), atMost: 1 },
    { title: 'Bad signatures', value: of('badSignatures'), atMost: 0 },
    { title: 'Webhooks without an attempt row', value: of('unrecorded'), atMost: 0 },
    { title: 'Attempts recorded as delivered, of webhooks that were not acknowledged', value: of('phantoms'), atMost: 0 },
    { title: 'Webhooks concluded twice', value: of('concludedTwice'), atMost: 0 },
    { title: 'Attempts concluded after the next had begun', value: of('overlapping'), atMost: 0 },
    { title: 'Attempts left in flight', value: of('leftInFlight'), atMost: 0 },
    { title: 'Deliveries left open or disabled', value: of('leftOpen'), atMost: 0 },
    { title: 'Webhooks repeated after a lost 2xx', value: of('afterLost') },
    { title: 'Webhooks repeated after a late 2xx', value: of('afterLate') },
    { title: 'Webhooks repeated after a 2xx, during an outage', value: of('afterFault') },
    { title: 'Webhooks repeated after a 2xx, unexplained', value: of('unexplained'), atMost: 0 },
    { title: 'Acknowledged writes missing in Postgres', value: of('notStored'), atMost: 0 },
    { title: 'Acknowledged titles overwritten by an older request without a response', value: of('overtaken') },
    { title: 'Lanes taken', value: of('lanes') },
    ...['200', '204', 'slow', 'lost', '500', '503', '429', '413', 'hang', 'reset'].map((response) => ({
      title: `Receivers: ${response}`,
      value: sum(({ found }) => found.receipts.filter((receipt) => receipt.response === response).length),
    })),
  ];
}

interface Found {
  receipts: Receipt[];
  attempts: Map<string, { outcome: string }[]>;
}

async function checkDirectory(db: Knex, { directory, receiver, acknowledged }: Side, faults: Fault[], timeoutFactor: number) {
  const where = { directory_id: directory.id };
  const { receipts, seen } = receiver;
  const events = await db('events')
    .where(where)
    .orderBy('sequence')
    .select<{ id: string; sequence: number; title: string; user: string }[]>(
      'id',
      'sequence',
      db.raw(`data->'raw'->>'title' as title, data->>'id' as "user"`),
    );
  const rows = await db('webhook_attempts')
    .where(where)
    .orderBy(['started_at', 'batch_id', 'number'])
    .select<{ batch_id: string; outcome: string; started_at: Date; ended_at: Date | null }[]>(
      'batch_id',
      'outcome',
      'started_at',
      'ended_at',
    );
  const endpoint = await db('webhook_endpoints').where(where).first<{ status: string; epoch: number; acked_sequence: number }>();
  const pending = await db('webhook_batches')
    .where({ ...where, status: 'pending' })
    .select('id');
  const attempts = groupBy(rows, (row) => row.batch_id);
  const byId = groupBy(receipts, (receipt) => receipt.webhookId);
  const counts: Counts = {};
  const count = (name: string, more = 1) => void (counts[name] = (counts[name] ?? 0) + more);
  const outcomes = (id: string, outcome: string) => (attempts.get(id) ?? []).filter((row) => row.outcome === outcome).length;

  count('events', events.length);
  count('received', receipts.length);
  count('acknowledged', receipts.filter(({ accepted }) => accepted).length);
  count('attempts', rows.length);
  count('lanes', endpoint.epoch);
  count('missing', events.filter(({ sequence }, index) => sequence !== index + 1).length);
  const acknowledgedSequences = new Set(receipts.filter(({ accepted }) => accepted).flatMap(({ from, to }) => range(from, to)));
  count(
    'lost',
    events.filter(({ id, sequence }) => !acknowledgedSequences.has(sequence) || ![...seen.get(sequence)!].some((one) => one.startsWith(id)))
      .length,
  );
  count('early', receipts.filter(({ place }) => place === 'early').length);
  counts['distinctBytes'] = Math.max(0, ...[...byId.values()].map((same) => new Set(same.map(({ digest }) => digest)).size));
  counts['distinctContents'] = Math.max(0, ...[...seen.values()].map((contents) => contents.size));
  count('badSignatures', receipts.filter(({ signatureProblem }) => signatureProblem !== undefined).length);
  count('cutOff', rows.filter(({ outcome }) => outcome === 'aborted').length);
  count('overlapping', rows.filter(({ ended_at: ended }, index) => isAfter(ended, rows[index + 1]?.started_at, timeoutFactor)).length);
  count('leftInFlight', rows.filter(({ outcome }) => outcome === 'in_flight').length);
  count('leftOpen', pending.length + (endpoint.status === 'active' ? 0 : 1));

  for (const [id, same] of byId) {
    count('unrecorded', Math.max(0, same.length - (attempts.get(id)?.length ?? 0)));
    same.forEach((receipt, index) => {
      if (receipt.place === 'late') count(isAfterFreeze(receipt, faults, timeoutFactor) ? 'lateAfterFreeze' : 'late');
      const before = same.slice(0, index).findLast(({ accepted }) => accepted);
      if (!before) return;
      const hung = same.filter(({ response }) => response === 'hang').length;
      if (before.response === 'lost') count('afterLost');
      else if (isWithin(before, faults, timeoutFactor)) count('afterFault');
      else count(outcomes(id, 'timeout') > hung ? 'afterLate' : 'unexplained');
    });
  }
  for (const id of attempts.keys()) {
    const delivered = outcomes(id, 'success');
    if (delivered > 1) count('concludedTwice');
    if (delivered > 0 && !byId.get(id)?.some(({ accepted }) => accepted)) count('phantoms');
  }
  await checkStored();
  return { found: { receipts, attempts }, counts };

  async function checkStored() {
    const users = await db('users')
      .where(where)
      .select<{ id: string; name: string; title: string | null }[]>('id', 'user_name as name', db.raw(`resource->>'title' as title`));
    const members = await db('group_members').where(where).select<{ group_id: string; member_id: string }[]>('group_id', 'member_id');
    const byName = new Map(users.map((user) => [user.name, user]));
    for (const [name, id] of acknowledged.users) if (byName.get(name)?.id !== id) count('notStored');
    const titles = new Map(users.map(({ id, title }) => [id, title]));
    for (const [userId, title] of acknowledged.titles) {
      if (titles.get(userId) === title) continue;
      const wasMade = events.some((event) => event.user === userId && event.title === title);
      count(wasMade && acknowledged.unsure.has(userId) ? 'overtaken' : 'notStored');
    }
    const kept = new Set(members.map(({ group_id: group, member_id: member }) => `${group} ${member}`));
    count('notStored', acknowledged.members.filter(({ groupId, userId }) => !kept.has(`${groupId} ${userId}`)).length);
  }
}

/** From the response to the conclusion of the attempt. */
const concludeMs = 1_500;
/** The time until a workflow continues after its Temporal or its worker was down. */
const graceMs: Record<Fault['who'], number> = { worker: 4_000, api: 0, Postgres: 1_000, Temporal: 6_000 };

const isWithin = ({ atMs }: Receipt, faults: Fault[], timeoutFactor: number) =>
  faults.some(
    ({ who, fromMs, untilMs }) =>
      who !== 'api' && fromMs <= atMs + timeoutFactor * concludeMs && untilMs + timeoutFactor * graceMs[who] >= atMs,
  );

const isAfterFreeze = ({ atMs }: Receipt, faults: Fault[], timeoutFactor: number) =>
  faults.some(({ kind, untilMs }) => kind === 'worker frozen' && untilMs <= atMs + 100 && untilMs + timeoutFactor * 1_500 >= atMs);

/** One statement ends an attempt and begins the next, and reads the clock twice. */
const clockMs = 50;
const isAfter = (ended: Date | null, nextStarted: Date | undefined, timeoutFactor: number) =>
  ended !== null && nextStarted !== undefined && ended.getTime() > nextStarted.getTime() + timeoutFactor * clockMs;

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

function groupBy<Item>(items: Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
