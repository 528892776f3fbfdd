import type { Mutation } from './mutation.ts';

export function groupByDirectory(mutations: Mutation[]): Map<string, Mutation[]> {
  const groups = new Map<string, Mutation[]>();
  for (const mutation of mutations) {
    const group = groups.get(mutation.directoryId);
    if (group) group.push(mutation);
    else groups.set(mutation.directoryId, [mutation]);
  }
  return groups;
}
