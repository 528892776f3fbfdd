import { expect, it } from '@jest/globals';
import { rejectUnknownField, rejectUnknownParameter } from '../../src/shared/unknown-fields.ts';

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
])('treats %s as a misspelling of %s', (name, suggestion) => {
  expect(() => rejectUnknownField({ [name]: 1 }, known)).toThrow(new RegExp(` ${name}\\W.* ${suggestion}\\?$`));
});

it.each(['id', 'url', 'note', 'tags', 'username', 'description', 'webhook_uri_s', '__proto__', ''])(
  'ignores the unknown name %j',
  (name) => {
    expect(() => rejectUnknownField(JSON.parse(`{${JSON.stringify(name)}:1}`), known)).not.toThrow();
  },
);

it('ignores values that are not objects', () => {
  for (const value of [undefined, null, 'tennant', ['tennant']]) expect(() => rejectUnknownField(value, known)).not.toThrow();
});

const say = (query: object) => () =>
  rejectUnknownParameter(query, { events: 'events', after: 'after', pageLimit: 'limit', limit: 'limit' }, { type: 'events' });

it('suggests the parameter that a synonym stands for', () => {
  expect(say({ type: 'x' })).toThrow(/ type\W.* events\?$/);
  expect(say({ afer: 'x' })).toThrow(/ afer\W.* after\?$/);
  expect(say({ pagelimit: 1 })).toThrow(/ pagelimit\W.* limit\?$/);
  expect(say({ toString: 'x', pageToken: 'x', events: 'x' })).not.toThrow();
});
