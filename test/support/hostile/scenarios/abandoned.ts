import { holdForMs, type Attack } from '../attack.ts';
import { bulk, newUser, patch, times, toBody, type Scenario } from '../scenario.ts';

/** Valid: no text is too long for a resource. */
const twoTexts = { x: ['y'.repeat(250_000), 'z'.repeat(250_000)] };
const create = (name: string, more: object) => toBody(newUser(name, more));
// Made before the attacks.
const halfMegabytes = times(500, (index) => create(`large-${index}`, twoTexts));
const sixtyKilobytes = times(1_000, (index) => create(`middle-${index}`, { nickName: 'n'.repeat(60_000) }));
const bulks = times(30, (request) =>
  toBody(
    bulk(
      ...times(100, (index) => ({
        method: 'POST',
        path: '/Users',
        bulkId: `b${index}`,
        data: newUser(`bulk-${request}-${index}`, { nickName: 'n'.repeat(40_000) }),
      })),
    ),
  ),
);

const leaving = (index: number) => ({ leaveAfterMs: 200 + (index % 5) * 100 });
const prepareLarge = ({ prepare }: Attack) => prepare('POST', '/Users', create('held', { ...twoTexts, more: twoTexts.x }));

/** Large valid requests whose callers do not wait for the response. */
export const abandonedScenarios: Scenario[] = [
  {
    name: 'sends five hundred creates of half a megabyte at once, and leaves',
    run: (attack) => attack.repeat(500, 100, (index) => attack.send('POST', '/Users', halfMegabytes[index], leaving(index))),
  },
  {
    name: 'sends a thousand creates of sixty kilobytes at once, and leaves',
    run: (attack) => attack.repeat(1_000, 100, (index) => attack.send('POST', '/Users', sixtyKilobytes[index], leaving(index))),
  },
  {
    name: 'changes a user of a megabyte by six hundred small PATCH requests at once, and leaves',
    async run(attack) {
      const { id } = await prepareLarge(attack);
      await attack.repeat(600, 100, (index) =>
        attack.send('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'title', value: `title ${index}` }), leaving(index)),
      );
    },
  },
  {
    name: 'leaves thirty Bulk requests of four megabytes, ten at once, in the middle and at the end',
    run: (attack) => attack.repeat(30, 10, (index) => attack.send('POST', '/Bulk', bulks[index], { leaveAfterMs: index % 2 ? 20 : 300 })),
  },
  {
    name: 'reads a user of a megabyte on sixty connections without taking the responses',
    async run(attack) {
      const { id } = await prepareLarge(attack);
      const { directory } = attack;
      const one = `GET /api/scim/v2.0/${directory.id}/Users/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${directory.secret}\r\n\r\n`;
      for (const socket of times(60, () => attack.connect())) {
        socket.pause();
        socket.write(one.repeat(10));
      }
      await holdForMs(5_000);
    },
  },
];
