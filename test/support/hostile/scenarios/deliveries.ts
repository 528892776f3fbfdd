import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { newId } from '../../../../src/ids.ts';
import { until } from '../../until.ts';
import type { Attack } from '../attack.ts';
import type { HostileTarget } from '../service.ts';
import { createLargest } from '../fill.ts';
import { newUser, patch, type Scenario } from '../scenario.ts';

/** Attacks with a directory's own events and receiver. */
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
  {
    name: 'has events of a megabyte of 300 directories delivered at the same time to receivers that are slow',
    async run({ target, repeat }) {
      const { url, state, close } = await startSlowReceiver();
      try {
        await repeat(largeDirectories, 4, async (index) => {
          await createBacklog(target, `${url}/${index}`);
          return 200;
        });
        await until(() => state.acknowledged >= largeDirectories * largeEvents, { timeoutMs: 600_000, everyMs: 100 });
      } finally {
        close();
      }
      return `${state.mostOpen} at once`;
    },
  },
];

const largeDirectories = 300;
const largeEvents = 4;
/** Fewer than the memory for deliveries allows with such events. */
const openAtOnce = 16;

/**
 * Responds to the oldest request once so many are open, or one for each directory that has events left. The path names the directory.
 */
async function startSlowReceiver() {
  const state = { acknowledged: 0, mostOpen: 0 };
  const open = new Set<ServerResponse>();
  const left = new Map<string, number>();
  const countUnfinished = () => largeDirectories - [...left.values()].filter((count) => count <= 0).length;
  const respondIfEnough = () => {
    if (open.size < Math.min(openAtOnce, countUnfinished())) return;
    const [oldest] = open;
    if (oldest && open.delete(oldest)) oldest.end();
  };
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      open.add(response);
      state.mostOpen = Math.max(state.mostOpen, open.size);
      respondIfEnough();
    });
    response.once('finish', () => {
      state.acknowledged += 1;
      left.set(request.url!, (left.get(request.url!) ?? largeEvents) - 1);
    });
    response.once('close', () => {
      open.delete(response);
      respondIfEnough();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state, close };
}

/** Inserts pending events, as after an outage of the receiver, and pushes one more that starts the delivery. */
async function createBacklog(target: HostileTarget, webhookUrl: string): Promise<void> {
  const directory = await target.createDirectory(`large-${newId()}`, {
    webhook_url: webhookUrl,
    webhook_secret: 'a secret of enough characters',
  });
  await target.db.raw(
    `with numbered as (update all_directories set last_sequence = :events where id = :directoryId returning id)
     insert into stored_events (directory_id, sequence, id, type, data, bytes, occurred_at)
     select numbered.id, n, gen_random_uuid(), 'user.updated', jsonb_build_object('id', n, 'text', repeat('x', 1000000)), 1000040, now()
     from numbered, generate_series(1, :events) n`,
    { directoryId: directory.id, events: largeEvents - 1 },
  );
  await directory.scim('POST', '/Users', newUser('last'));
}

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
    { timeoutMs: 180_000, everyMs: 200 },
  );
}
