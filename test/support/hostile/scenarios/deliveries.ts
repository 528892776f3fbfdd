import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '../../until.ts';
import type { Attack } from '../attack.ts';
import { createLargest } from '../fill.ts';
import { newUser, patch, type Scenario } from '../scenario.ts';

/** What a directory's own events and receiver can cost. */
export const deliveryScenarios: Scenario[] = [
  {
    name: 'has fifty events of half a megabyte of one letter delivered',
    async run(attack) {
      const receiver = createServer((request, response) => {
        request.resume();
        request.once('end', () => response.end());
      });
      receiver.listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      try {
        await push(attack, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
      } finally {
        receiver.closeAllConnections();
        receiver.close();
      }
    },
  },
];

async function push(attack: Attack, url: string): Promise<void> {
  const { target, directory } = attack;
  const path = `/api/v1/directory-sync/${directory.id}`;
  const id = await createLargest(attack, '/Users', 560_000, (bytes) => newUser('letters', { nickName: 'x'.repeat(bytes) }));
  await attack.repeat(50, 1, (index) => attack.send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: `t${index}` })));
  await target.api('PATCH', path, { webhook_url: url, webhook_secret: 'a secret of enough characters' });
  await until(
    async () => {
      const { body } = await target.api('GET', `${path}/delivery`);
      return body.data.backlog === 0;
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
}
