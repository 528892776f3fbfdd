import { expect, it } from '@jest/globals';
import { freeze } from '../../../src/directory/delivery/freeze.ts';

type Taken = Parameters<typeof freeze>[0];

const taken = { lane: { endpointId: 'endpoint' }, directory: { id: 'd', tenant: 'acme', product: 'app' } } as Taken;
const event = (id: string) => ({ id, sequence: 7, type: 'user.created' as const, data: '{}', bytes: 2, occurredAt: new Date(0) });
const idOf = (eventId: string, replayId?: string) => freeze(taken, [event(eventId)], { asArray: false, maxEvents: 1 }, replayId).id;

it('gives the same delivery the same id, and another event in the same place another one', () => {
  expect(idOf('one')).toBe(idOf('one'));
  // After a database was set back to an earlier time.
  expect(idOf('other')).not.toBe(idOf('one'));
  expect(idOf('one', 'rpl_1')).not.toBe(idOf('one'));
});
