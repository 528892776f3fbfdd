import { copyUser, createLargest, fillUsers } from '../fill.ts';
import { bulk, newUser, times, type Scenario } from '../scenario.ts';

const filterOf = (terms: number) => encodeURIComponent(times(terms, (index) => `x-custom.deep co "nothing-${index}"`).join(' or '));

/** Reads that no index serves. */
export const searchScenarios: Scenario[] = [
  {
    name: 'searches 60,000 users by nine terms on an attribute without an index, twenty at once',
    async run(attack) {
      await fillUsers(attack, 60_000, { 'x-custom': { deep: 'z'.repeat(200) } });
      await attack.repeat(40, 20, () => attack.send('GET', `/Users?filter=${filterOf(9)}`));
      await attack.repeat(40, 20, () => attack.send('GET', `/Users?sortBy=x-custom.deep&count=5`));
      await attack.repeat(40, 20, () => attack.send('GET', '/Users?filter=title%20pr&startIndex=50000&count=5&sortBy=title'));
      await attack.repeat(40, 20, () => attack.send('GET', `/Users?filter=${filterOf(9)}`, undefined, { leaveAfterMs: 300 }));
    },
  },
  {
    name: 'sends filters of ten thousand terms',
    run: (attack) =>
      attack.repeat(20, 10, () =>
        attack.send('POST', '/Users/.search', {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          filter: times(10_000, (index) => `userName eq "u${index}"`).join(' or '),
        }),
      ),
  },
  {
    name: 'sends filters nested ten thousand deep',
    run: (attack) =>
      attack.repeat(20, 10, () =>
        attack.send('POST', '/Users/.search', {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          filter: `${'not ('.repeat(10_000)}title pr${')'.repeat(10_000)}`,
        }),
      ),
  },
  {
    name: 'asks for ten thousand attributes of a thousand users',
    async run(attack) {
      await fillUsers(attack, 2_000, { title: 'someone' });
      const attributes = times(10_000, (index) => `name.attribute${index}`);
      await attack.repeat(12, 6, (index) =>
        attack.send('POST', '/Users/.search', {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
          count: 1_000,
          [index % 2 ? 'attributes' : 'excludedAttributes']: attributes,
        }),
      );
    },
  },
  {
    name: 'lists a thousand users of many values, six at once',
    async run(attack) {
      const id = await createLargest(attack, '/Users', 2_000, (values) => newUser('model', { x: times(values, () => [0]) }));
      await copyUser(attack, id, 999);
      await attack.repeat(12, 6, () => attack.send('GET', '/Users?count=1000'));
    },
  },
  {
    name: 'sends a precondition of thousands of versions',
    async run(attack) {
      const { id } = await attack.prepare('POST', '/Users', newUser('versions'));
      const versions = times(1_500, (index) => `W/"${index}"`).join(', ');
      await attack.repeat(100, 20, () => attack.send('GET', `/Users/${id}`, undefined, { headers: { 'if-none-match': versions } }));
      await attack.send(
        'POST',
        '/Bulk',
        bulk(...times(500, () => ({ method: 'DELETE', path: `/Users/${id}`, version: versions.slice(0, 10_000) }))),
      );
    },
  },
];
