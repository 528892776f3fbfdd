import { describe, expect, it } from '@jest/globals';
import { create, startIntake, ignoreOutcome } from '../../support/intake.ts';

/** A mutation of few bytes and many values. */
const manyValues = (userName: string) => ({
  ...create('d1', userName),
  resource: { userName, x: Array.from({ length: 2_000 }, () => ({})) },
});

describe('directories that share the intake', () => {
  it('take turns, one mutation of each and then the next of each, and keep their order', () => {
    const { intake, finish, names } = startIntake({ lanes: 1, maxGroup: 4 });
    ignoreOutcome(intake.submit(create('d0', '0')));
    for (const name of 'abcdef') ignoreOutcome(intake.submit(create('d1', name)));
    for (const name of 'xy') ignoreOutcome(intake.submit(create('d2', name)));
    finish(0);
    expect(names()[1]).toBe('abxy');
    ignoreOutcome(intake.submit(create('d2', 'z')));
    finish(1);
    expect(names()[2]).toBe('cdez');
  });

  it('are not blocked by waiting large mutations of another one', () => {
    const { intake, finish, names } = startIntake({ lanes: 1, maxGroupBytes: 300 });
    const [a, b] = ['a'.repeat(500), 'b'.repeat(500)];
    for (const name of ['0', a, b]) ignoreOutcome(intake.submit(create('d1', name)));
    ignoreOutcome(intake.submit(create('d2', 'x')));
    finish(0);
    finish(1);
    expect(names().slice(1, 3)).toEqual([a, 'x']);
    finish(2);
    expect(names()[3]).toBe(b);
  });

  it('do not wait for a large mutation of another one, and large mutations take turns', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1, largeBytes: 300 });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => name.repeat(500)) as [string, string, string, string];
    for (const name of [a, b, c]) ignoreOutcome(intake.submit(create('d1', name)));
    ignoreOutcome(intake.submit(create('d2', 'x')));
    ignoreOutcome(intake.submit(create('d3', d)));
    ignoreOutcome(intake.submit(create('d3', 'y')));
    ignoreOutcome(intake.submit(create('d4', 'z')));
    expect(names()).toEqual([a, 'x']);
    finish(1);
    expect(names().slice(2)).toEqual(['z']);
    finish(0);
    expect(names().slice(3)).toEqual([b]);
    finish(3);
    expect(names().slice(4)).toEqual([d]);
    finish(4);
    expect(names().slice(5)).toEqual([c]);
    finish(2);
    expect(names().slice(6)).toEqual(['y']);
  });

  it('do not wait for large mutations of however many others', () => {
    const { intake, names } = startIntake({ lanes: 1, largeBytes: 300 });
    const large = 'a'.repeat(500);
    for (let count = 0; count < 50; count += 1) ignoreOutcome(intake.submit(create(`large ${count}`, large)));
    ignoreOutcome(intake.submit(create('small', 'x')));
    expect(names()).toEqual([large, 'x']);
  });

  it('each have a limit of waiting mutations, in number and in bytes, that leaves room for others', async () => {
    const { intake } = startIntake({ lanes: 1, maxWaitingPerDirectory: 2 });
    for (const name of 'abc') ignoreOutcome(intake.submit(create('d1', name)));
    await expect(intake.submit(create('d1', 'd'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('INTAKE_WAITING_PER_DIRECTORY'),
    });
    ignoreOutcome(intake.submit(create('d2', 'x')));

    const { intake: small } = startIntake({ lanes: 1, maxWaitingBytesPerDirectory: 300 });
    for (const name of ['a', 'L'.repeat(500)]) ignoreOutcome(small.submit(create('d1', name)));
    await expect(small.submit(create('d1', 'b'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('INTAKE_WAITING_BYTES_PER_DIRECTORY'),
    });
  });

  it('have their limits checked before a mutation is read, unless it may be a create that waits already', async () => {
    const { intake, finish } = startIntake({ lanes: 1, maxWaitingPerDirectory: 1 });
    const [running, waiting] = [create('d1', 'a'), create('d1', 'b')];
    ignoreOutcome(intake.submit(running));
    expect(() => intake.assertAccepts('d1', { mayRepeat: false })).not.toThrow();
    const first = intake.submit(waiting);
    const full = expect.objectContaining({ message: expect.stringContaining('INTAKE_WAITING_PER_DIRECTORY') });
    expect(() => intake.assertAccepts('d1', { mayRepeat: false })).toThrow(full);
    expect(() => intake.assertAccepts('d2', { mayRepeat: false })).not.toThrow();
    intake.assertAccepts('d1', { mayRepeat: true });
    const again = intake.submit({ ...waiting, id: 'another', resourceId: 'another' });
    finish(0);
    finish(1);
    expect(await again).toEqual(await first);
  });

  it('send mutations with many values alone, so that a small one of another directory does not wait for them', () => {
    const { intake, finish, names } = startIntake({ lanes: 1 });
    ignoreOutcome(intake.submit(create('d0', '0')));
    const wide = create('d1', 'wide');
    ignoreOutcome(intake.submit({ ...wide, resource: { userName: 'wide', x: Array.from({ length: 5_000 }, () => ({})) } }));
    ignoreOutcome(intake.submit(create('d2', 'x')));
    expect(names()).toEqual(['0', 'wide']);
    finish(0);
    expect(names()).toEqual(['0', 'wide', 'x']);
  });

  it('count mutations with many values by their memory, not by their bytes', async () => {
    const { intake } = startIntake({ lanes: 1, maxWaitingBytesPerDirectory: 200_000 });
    ignoreOutcome(intake.submit(create('d1', 'a')));
    ignoreOutcome(intake.submit(manyValues('b')));
    await expect(intake.submit(manyValues('c'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('bytes of memory'),
    });
  });
});
