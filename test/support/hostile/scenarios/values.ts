import { bulk, newUser, times, toBody, type Scenario } from '../scenario.ts';

/** Each takes 3 bytes to send, and at least 56 in memory. */
const emptyObjects = (count: number) => times(count, () => ({}));
/** V8 allocates all indexes up to this one when such an object is copied: 11 KB. */
const objectsOfOneIndex = (count: number) => times(count, () => ({ 900: 0 }));
const wideBulks = times(20, (request) =>
  toBody(
    bulk(
      ...times(1_000, (index) => ({
        method: 'POST',
        path: '/Users',
        bulkId: `w${index}`,
        data: newUser(`wide-${request}-${index}`, { x: emptyObjects(130) }),
      })),
    ),
  ),
);
/** 3 KB, and a response of 300. */
const unreadable = toBody(bulk(...emptyObjects(1_000)));
const almostUnreadable = toBody(bulk(...emptyObjects(999), { method: 'DELETE', path: '/Users/01890a5d-ac96-774b-bcce-b302099a8057' }));
const longAddresses = toBody(bulk(...times(64, () => ({ method: 'DELETE', path: `/Users/${'<'.repeat(150_000)}` }))));
const wideUsers = times(300, (index) => toBody(newUser(`values-${index}`, { x: emptyObjects(19_990) })));

/** Bodies of few bytes whose values take much memory. */
export const valueScenarios: Scenario[] = [
  {
    name: 'sends five hundred Bulk requests of a thousand operations that cannot be read, a hundred at once',
    run: (attack) => attack.repeat(500, 100, () => attack.send('POST', '/Bulk', unreadable)),
  },
  {
    name: 'sends three hundred Bulk requests of which one operation can be read, sixty at once',
    run: (attack) => attack.repeat(300, 60, () => attack.send('POST', '/Bulk', almostUnreadable)),
  },
  {
    name: 'sends forty Bulk requests with addresses of 150 KB, four at once',
    run: (attack) => attack.repeat(40, 4, () => attack.send('POST', '/Bulk', longAddresses)),
  },
  {
    name: 'sends twenty Bulk requests of 280,000 values at once',
    run: (attack) => attack.repeat(20, 20, (request) => attack.send('POST', '/Bulk', wideBulks[request])),
  },
  {
    name: 'sends three hundred users of 20,000 values in 60 KB at once',
    run: (attack) => attack.repeat(300, 300, (index) => attack.send('POST', '/Users', wideUsers[index])),
  },
  {
    name: 'sends a Bulk request of 130,000 objects whose name is a number',
    run: (attack) =>
      attack.repeat(2, 2, (request) =>
        attack.send(
          'POST',
          '/Bulk',
          bulk(
            ...times(14, (index) => ({
              method: 'POST',
              path: '/Users',
              bulkId: `n${index}`,
              data: newUser(`numbers-${request}-${index}`, { x: objectsOfOneIndex(9_500) }),
            })),
          ),
        ),
      ),
  },
];
