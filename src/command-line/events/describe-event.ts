import type { Event } from '../../client/index.ts';

/** Whom or what an event is about, in a few words. */
export function describeEvent({ data }: Pick<Event, 'data'>): string {
  if (data === null) return '(no longer kept)';
  const name = textOf(data['email']) || textOf(data['name']) || textOf(data['id']);
  const group = data['group'] as { name?: unknown } | undefined;
  return group ? `${name} in ${textOf(group.name)}` : name;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
