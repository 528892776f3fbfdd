import { isDeepStrictEqual } from 'node:util';

/** What one side returned in one step of a scenario. */
export interface Observation {
  /** The scenario and the step. */
  step: string;
  seen: unknown;
}

export interface Difference {
  step: string;
  /** Where in what was seen. */
  path: string;
  polis: unknown;
  rollcall: unknown;
}

/** A deliberate difference. If it names values, they must be these. */
export interface KnownDifference {
  step?: RegExp;
  path: RegExp;
  polis?: unknown;
  rollcall?: unknown;
  /** Only on this side. */
  on?: 'jackson' | 'http';
  reason: string;
}

export function compare(polis: Observation[], rollcall: Observation[]): Difference[] {
  const theirs = new Map(polis.map(({ step, seen }) => [step, seen]));
  return rollcall.flatMap(({ step, seen }) => diff(theirs.get(step), seen, '').map((found) => ({ step, ...found })));
}

function diff(polis: unknown, rollcall: unknown, path: string): Omit<Difference, 'step'>[] {
  if (isDeepStrictEqual(polis, rollcall)) return [];
  if (Array.isArray(polis) && Array.isArray(rollcall)) {
    const [before, after] = [polis.map(nameOf), rollcall.map(nameOf)];
    // Without the same items in the same order, their content is not comparable.
    if (!isDeepStrictEqual(before, after)) return [{ path, polis: before, rollcall: after }];
    return polis.flatMap((item, index) => diff(item, rollcall[index], join(path, String(index))));
  }
  if (isRecord(polis) && isRecord(rollcall)) {
    const names = [...new Set([...Object.keys(polis), ...Object.keys(rollcall)])];
    return names.flatMap((name) => diff(polis[name], rollcall[name], join(path, name)));
  }
  return [{ path, polis, rollcall }];
}

/** What tells the items of a list apart. */
function nameOf(item: unknown): unknown {
  if (!isRecord(item)) return typeof item === 'object' ? '' : item;
  const { event, data, email, name, displayName, userName, user_id: userId, payload } = item;
  if (event !== undefined) return [event, isRecord(data) ? data['id'] : null];
  return email ?? name ?? displayName ?? userName ?? userId ?? (isRecord(payload) ? payload['event'] : '');
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export function isKnown(side: string, found: Difference, known: KnownDifference): boolean {
  return (
    (known.on === undefined || known.on === side) &&
    (known.step === undefined || known.step.test(found.step)) &&
    known.path.test(found.path) &&
    (!('polis' in known) || isDeepStrictEqual(known.polis, found.polis)) &&
    (!('rollcall' in known) || isDeepStrictEqual(known.rollcall, found.rollcall))
  );
}

/** Replaces what differs in each run: IDs, secrets and times. `names` are those that the scenario gave to IDs. */
export function normalize(value: unknown, names: Map<string, string>): unknown {
  if (typeof value === 'string') return normalizeText(value, names);
  if (value instanceof Date) return '<time>';
  if (Array.isArray(value)) return value.map((item) => normalize(item, names));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(kept.map(([name, inner]) => [normalizeText(name, names), normalize(inner, names)]));
}

function normalizeText(text: string, names: Map<string, string>): string {
  let found = text;
  for (const [id, name] of names) found = found.replaceAll(id, `<${name}>`);
  return found
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/msg_[\w-]{27}/g, '<id>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+|https:\/\/app\.example/g, '<base>');
}
