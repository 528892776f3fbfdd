import type { DirectoryEvent } from '../../client/index.ts';

/** Whom or what an event is about, in a few words. */
export function describeEvent({ data }: Pick<DirectoryEvent, 'data'>): string {
  if (data === null) return '(no longer kept)';
  const name = 'email' in data ? data.email : data.name;
  return 'group' in data ? `${name} in ${data.group.name}` : name || data.id;
}
