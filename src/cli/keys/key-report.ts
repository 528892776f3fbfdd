import type { SealedCount } from '../../store/encryption/rewrap.ts';
import type { KeyUser } from '../../store/encryption/keys-in-use.ts';
import type { SealedWork } from '../../temporal/sealed-work.ts';
import type { Printer } from '../output/printer.ts';

export interface KeyReport {
  id: string;
  /** Position in the list of keys, from 1; null if it is not there. */
  position: number | null;
  sealed: { kind: string; count: number }[];
  /** How many running processes encrypt with it. */
  processes: number;
  /** Nothing is encrypted with it, and no process encrypts with it. */
  unused: boolean;
}

export interface KeyFacts {
  /** In order of preference. */
  keyIds: string[];
  counts: SealedCount[];
  work: SealedWork[];
  users: KeyUser[];
  /** As recorded in the database. */
  usedKeys: string[];
}

export function reportKeys({ keyIds, counts, work, users, usedKeys }: KeyFacts): KeyReport[] {
  const ids = new Set([...keyIds, ...usedKeys, ...counts.map(({ keyId }) => keyId), ...work.flatMap((one) => one.keyIds)]);
  return [...ids].map((id) => {
    const ofWork = new Map<string, number>();
    for (const { kind, type } of work.filter((one) => one.keyIds.includes(id))) {
      const name = kind === 'schedule' ? `schedules (${type})` : `open workflows (${type})`;
      ofWork.set(name, (ofWork.get(name) ?? 0) + 1);
    }
    const sealed = [
      ...counts.filter(({ keyId }) => keyId === id).map(({ kind, count }) => ({ kind, count })),
      ...[...ofWork].map(([kind, count]) => ({ kind, count })),
    ];
    const processes = users.filter((user) => user.keyIds[0] === id).length;
    const place = keyIds.indexOf(id);
    return { id, position: place === -1 ? null : place + 1, sealed, processes, unused: place !== 0 && sealed.length + processes === 0 };
  });
}

export function printKeys(print: Printer, keys: KeyReport[]): void {
  const describeKey = ({ id, position }: KeyReport) =>
    `${id} (${position === null ? 'missing' : position === 1 ? 'current' : `number ${position}`})`;
  print.table(
    [
      { title: 'Key', value: ({ key }) => describeKey(key) },
      { title: 'Encrypted with it', value: ({ kind }) => kind, mayShrink: true },
      { title: 'Count', value: ({ count }) => count.toLocaleString('en'), alignRight: true },
    ],
    keys.flatMap((key) => {
      const processes = key.processes > 0 ? [{ kind: 'processes that encrypt with it', count: key.processes }] : [];
      const rows = [...key.sealed, ...processes];
      return (rows.length > 0 ? rows : [{ kind: 'nothing', count: 0 }]).map((row) => ({ key, ...row }));
    }),
  );
}

/** What to do about a key, in one sentence. */
export function describeNextStep({ id, position, sealed, processes, unused }: KeyReport, keySource: string, isPlan: boolean): string {
  if (position === 1) return `Key ${id} is the current key: it is the first in ${keySource}.`;
  if (unused)
    return position === null
      ? `Key ${id} is unused.`
      : `Key ${id} is unused. ${isPlan ? 'Run `rollcall keys rewrap` before you remove it.' : `Remove it from ${keySource} everywhere, and restart.`}`;
  if (position === null) return `Key ${id} is in use but missing from ${keySource}. Put it back.`;
  if (processes > 0)
    return `Key ${id} is in use: ${processes} running ${processes === 1 ? 'process encrypts' : 'processes encrypt'} with it. Put the new key first everywhere, and restart.`;
  const total = sealed.reduce((sum, { count }) => sum + count, 0);
  return `Key ${id} is in use: ${total.toLocaleString('en')} ${total === 1 ? 'item is' : 'items are'} encrypted with it. ${isPlan ? 'Run `rollcall keys rewrap`.' : 'Keep the key, and run this command again later.'}`;
}
