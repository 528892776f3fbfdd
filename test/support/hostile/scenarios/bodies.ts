import type { Attack } from '../attack.ts';
import { bulk, newUser, times, toBody, type Scenario } from '../scenario.ts';

const tenMegabytes = 10_000_000;
const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length)).replace(/,$/, '');
const manyNames = Buffer.from(`{${times(700_000, (index) => `"n${index}":0`).join(',')}}`);
const newNames = Buffer.from(
  `[${times(2_900, (object) => `{${times(100, (index) => `"n${100 * object + index}":0`).join(',')}}`).join(',')}]`,
);
const largeBulks = times(4, (request) =>
  toBody(
    bulk(
      ...times(900, (index) => ({
        method: 'POST',
        path: '/Users',
        bulkId: `b${index}`,
        data: newUser(`bulk-${request}-${index}`, { nickName: 'n'.repeat(9_000) }),
      })),
    ),
  ),
);
const arrays = Buffer.from(`{"x":[${fill('[],', tenMegabytes)}]}`);

/** Bodies that are cheap to send and expensive to read. */
export const bodyScenarios: Scenario[] = [
  {
    name: 'sends ten megabytes of empty arrays, eight at once',
    run: (attack) => attack.repeat(16, 8, (index) => attack.send('POST', index % 2 ? '/Bulk' : '/Users', arrays)),
  },
  {
    name: 'sends ten megabytes of names in one object',
    run: (attack) => attack.repeat(6, 6, () => attack.send('POST', '/Users', manyNames)),
  },
  {
    name: 'sends ten megabytes of escaped characters in one string',
    run: (attack) => attack.repeat(6, 6, () => attack.send('POST', '/Users', `{"userName":"${fill('\\u0041', tenMegabytes)}"}`)),
  },
  {
    name: 'sends arrays nested a million deep',
    run: (attack) => attack.repeat(6, 6, () => attack.send('POST', '/Users', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)),
  },
  {
    name: 'sends numbers of a hundred thousand digits',
    run: (attack) => attack.repeat(6, 6, () => attack.send('POST', '/Users', `{"x":[${fill(`${'9'.repeat(100_000)},`, 5_000_000)}]}`)),
  },
  {
    name: 'keeps two hundred large bodies unfinished',
    run: (attack) => leaveUnfinished(attack, 200, 'Content-Length: 900000', `{"x":"${'x'.repeat(800_000)}`),
  },
  {
    name: 'sends forty bodies in chunks of one byte, and leaves them unfinished',
    run: (attack) => leaveUnfinished(attack, 40, 'Transfer-Encoding: chunked', '1\r\n \r\n'.repeat(300_000)),
  },
  {
    name: 'sends three hundred bodies in chunks of one byte with a wrong secret',
    run: (attack) => leaveUnfinished(attack, 300, 'Transfer-Encoding: chunked', '1\r\n \r\n'.repeat(30_000), 'wrong'),
  },
  {
    name: 'sends three megabytes of objects whose names are all different',
    run: (attack) => attack.repeat(6, 6, () => attack.send('POST', '/Bulk', newNames)),
  },
  {
    name: 'sends a compressed body',
    run: (attack) =>
      attack.repeat(4, 2, () => attack.send('POST', '/Users', 'x'.repeat(100_000), { headers: { 'content-encoding': 'gzip' } })),
  },
  {
    name: 'sends a Bulk of a thousand creates of ten kilobytes, four at once',
    run: (attack) => attack.repeat(4, 4, (request) => attack.send('POST', '/Bulk', largeBulks[request]!)),
  },
];

/** Starts requests that do not end, and reads in the meantime. */
async function leaveUnfinished(
  attack: Attack,
  count: number,
  framing: string,
  body: string,
  secret = attack.directory.secret,
): Promise<void> {
  const { id } = attack.directory;
  for (const socket of times(count, () => attack.connect()))
    socket.write(
      `POST /api/scim/v2.0/${id}/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n` +
        `Content-Type: application/scim+json\r\n${framing}\r\n\r\n${body}`,
    );
  await attack.repeat(20, 2, (index) => attack.send('GET', `/Users?count=1&startIndex=${index + 1}`));
}
