import { expect, it } from '@jest/globals';
import { freezeDelivery } from '../../../src/directory/delivery/freeze-delivery.ts';

type Taken = Parameters<typeof freezeDelivery>[0];

const taken = { lane: { endpointId: 'endpoint' }, directory: { id: 'd', tenant: 'acme', product: 'app' } } as Taken;
const event = (id: string) => ({ id, sequence: 7, type: 'user.created' as const, data: '{}', bytes: 2, occurredAt: new Date(0) });
const idOf = (eventId: string, replayId?: string) => freezeDelivery(taken, [event(eventId)], { asArray: false, maxEvents: 1 }, replayId).id;

it('derives the ID of a delivery from its events', () => {
  expect(idOf('one')).toBe(idOf('one'));
  // After a restore of an older backup.
  expect(idOf('other')).not.toBe(idOf('one'));
  expect(idOf('one', 'rpl_1')).not.toBe(idOf('one'));
});
