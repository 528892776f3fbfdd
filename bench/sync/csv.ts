import { type Api, callApi } from './api.ts';
import type { ChangingSource } from './source.ts';
import type { WorldSize } from './world.ts';

/** Files of the same size as the providers' lists. A run begins with their upload. */
export function createCsvSource({ users, groups, members }: WorldSize): ChangingSource {
  let changes = 0;
  return {
    environment: {},
    stop: () => Promise.resolve(),
    change: () => Promise.resolve(void (changes += 1)),
    async createDirectory(api) {
      const fields = { tenant: 'bench', product: 'bench', name: 'Bench', type: 'csv' };
      return (await callApi<{ id: string }>(api, 'POST', 'directory-sync', fields)).id;
    },
    async startRun({ baseUrl, apiKey }: Api, directoryId) {
      const form = new FormData();
      for (const [name, lines] of Object.entries(writeFiles())) form.append(name, new Blob([lines.join('\n')], { type: 'text/csv' }), name);
      const response = await fetch(`${baseUrl}/api/v1/directory-sync/${directoryId}/files`, {
        method: 'PUT',
        headers: { authorization: `Api-Key ${apiKey}` },
        body: form,
      });
      const text = await response.text();
      if (response.status !== 202) throw new Error(`The upload was rejected: ${response.status} ${text.slice(0, 300)}`);
      return (JSON.parse(text) as { data: { run_id: string } }).data.run_id;
    },
  };

  function isChanged(index: number): boolean {
    return changes > 0 && index % 100 === 0;
  }

  function writeFiles(): Record<string, string[]> {
    const userLines = ['idp_id,email,first_name,last_name,active,department_name'];
    for (let index = 0; index < users; index += 1)
      userLines.push(`u${index},user${index}@acme.example,Ada,Lovelace${isChanged(index) ? changes : ''},true,Research`);
    const groupLines = ['idp_id,name'];
    const memberLines = ['user_id,group_id'];
    for (let group = 0; group < groups; group += 1) {
      groupLines.push(`g${group},Group ${group}`);
      for (let index = isChanged(group) ? 1 : 0; index < members; index += 1)
        memberLines.push(`u${(group * members + index) % users},g${group}`);
    }
    return { 'users.csv': userLines, 'groups.csv': groupLines, 'user_groups.csv': memberLines };
  }
}
