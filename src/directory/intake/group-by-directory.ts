export function groupByDirectory<T extends { directoryId: string }>(mutations: T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const mutation of mutations) {
    const group = groups.get(mutation.directoryId);
    if (group) group.push(mutation);
    else groups.set(mutation.directoryId, [mutation]);
  }
  return groups;
}
