import { expect, it } from '@jest/globals';
import { refuseMisspelt, refuseMisspeltParameter } from '../../src/directory/refuse-misspelt.ts';

const known = ['name', 'tenant', 'type', 'deactivated', 'log_webhook_events', 'webhook_url'];

it.each([
  ['webhok_url', 'webhook_url'],
  ['webhookUrl', 'webhook_url'],
  ['webhook_ulr', 'webhook_url'],
  ['logWebhookEvents', 'log_webhook_events'],
  ['Tenant', 'tenant'],
  ['deactived', 'deactivated'],
  ['nmae', 'name'],
  ['typ', 'type'],
])('takes %s for %s', (name, meant) => {
  expect(() => refuseMisspelt({ [name]: 1 }, known)).toThrow(`Unknown field ${name}. Did you mean ${meant}?`);
});

it.each(['id', 'url', 'note', 'tags', 'username', 'description', 'webhook_uri_s', '__proto__', ''])('has nothing to say of %j', (name) => {
  expect(() => refuseMisspelt(JSON.parse(`{${JSON.stringify(name)}:1}`), known)).not.toThrow();
});

it('passes over what is no object', () => {
  for (const value of [undefined, null, 'tennant', ['tennant']]) expect(() => refuseMisspelt(value, known)).not.toThrow();
});

const say = (query: object) => () => refuseMisspeltParameter(query, ['events', 'after'], { type: 'events' });

it('knows other words for a parameter where they are given', () => {
  expect(say({ type: 'x' })).toThrow('Unknown parameter type. Did you mean events?');
  expect(say({ afer: 'x' })).toThrow('Unknown parameter afer. Did you mean after?');
  expect(say({ toString: 'x', pageToken: 'x', events: 'x' })).not.toThrow();
});
