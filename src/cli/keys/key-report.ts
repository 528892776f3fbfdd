import type { SealedCount } from '../../store/rewrap.ts';
import type { KeyUser } from '../../store/key-users.ts';
import type { SealedWork } from '../../temporal/sealed-payloads.ts';
import type { Printer } from '../print.ts';

export interface KeyReport {
  id: string;
  /** In the list of keys, counted from 1; null if it is not there. */
  position: number | null;
  sealed: { kind: string; count: number }[];
  /** Running processes that encrypt with it. */
  processes: number;
  /** Nothing is encrypted with it, and no process does so. */
  unused: boolean;
}

export interface KeyFacts {
  /** In their order. */
  keyIds: string[];
  counts: SealedCount[];
  work: SealedWork[];
  users: KeyUser[];
  /** As the database has them noted. */
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

export function printKeys(print: Printer, keys: KeyReport[], keysIn: string): void {
  const nameOf = ({ id, position }: KeyReport) =>
    position === null ? `${id} (not in ${keysIn})` : `${id} (${position === 1 ? 'encrypts' : `number ${position}`})`;
  print.table(
    [
      { title: 'Key', value: ({ key }) => nameOf(key) },
      { title: 'What is encrypted with it', value: ({ kind }) => kind },
      { title: 'Count', value: ({ count }) => count.toLocaleString('en'), alignRight: true },
    ],
    keys.flatMap((key) => {
      const processes = key.processes > 0 ? [{ kind: 'processes that encrypt with it', count: key.processes }] : [];
      const rows = [...key.sealed, ...processes];
      return (rows.length > 0 ? rows : [{ kind: 'nothing', count: 0 }]).map((row) => ({ key, ...row }));
    }),
  );
}
