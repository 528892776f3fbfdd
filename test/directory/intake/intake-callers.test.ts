import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/errors.ts';
import { create, createCaller, done, startIntake, ignoreOutcome } from '../../support/intake.ts';

/** A change of the directory whose name is the first letter. */
const wait = (name: string) => create(name[0]!, name.padEnd(1_000));

describe('a caller', () => {
  it('that disconnects removes its waiting mutation, and affects no other caller', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1 });
    const caller = createCaller();
    ignoreOutcome(intake.submit(create('d1', 'a')));
    const left = intake.submit(create('d1', 'b'), caller);
    const stays = intake.submit(create('d1', 'c'));
    caller.leave();
    await expect(left).rejects.toThrow('left');
    await expect(intake.submit(create('d1', 'd'), caller)).rejects.toThrow('left');
    finish(0);
    expect(names()).toEqual(['a', 'c']);
    finish(1);
    await stays;
  });

  it('that disconnects does not remove a mutation that another caller shares, or that has started', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1 });
    const caller = createCaller();
    const started = intake.submit(create('d1', 'a'), caller);
    const left = intake.submit(create('d1', 'b'), caller);
    const stays = intake.submit(create('d1', 'b'));
    caller.leave();
    await expect(started).rejects.toThrow('left');
    await expect(left).rejects.toThrow('left');
    finish(0);
    expect(names()).toEqual(['a', 'b']);
    finish(1);
    await stays;
  });

  it('that repeats a create while the first one runs gets the outcome of the first', async () => {
    const { intake, groups, finish } = startIntake();
    const responses = [1, 2, 3].map(() => intake.submit(create('d1', 'a')));
    finish(0);
    const outcomes = await Promise.all(responses);
    expect(groups).toHaveLength(1);
    expect(new Set(outcomes.map(({ mutationId }) => mutationId)).size).toBe(1);
    ignoreOutcome(intake.submit(create('d1', 'a')));
    expect(groups).toHaveLength(2);
  });

  it('that repeats a create has its own timeout', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1, timeoutMs: 40 });
    ignoreOutcome(intake.submit(create('d1', 'a')));
    const [first, again] = [intake.submit(create('d1', 'b')), intake.submit(create('d1', 'b'))];
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    finish(0);
    expect(names()).toEqual(['a', 'b']);
    finish(1);
    expect(await again).toHaveProperty('mutationId');
  });

  it('that is the last to wait for a shared create removes it when it disconnects', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1, timeoutMs: 40 });
    ignoreOutcome(intake.submit(create('d1', 'a')));
    const responses = [intake.submit(create('d1', 'b')), intake.submit(create('d1', 'b'))];
    for (const response of responses) await expect(response).rejects.toMatchObject({ code: 'unavailable' });
    finish(0);
    ignoreOutcome(intake.submit(create('d1', 'c')));
    expect(names()).toEqual(['a', 'c']);
  });

  it('gets a timeout error, and its mutation is removed unless it was submitted', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1, timeoutMs: 40 });
    const first = intake.submit(create('d1', 'a'));
    const second = intake.submit(create('d1', 'b'));
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    await expect(second).rejects.toMatchObject({ code: 'unavailable' });
    finish(0);
    ignoreOutcome(intake.submit(create('d1', 'c')));
    expect(names()).toEqual(['a', 'c']);
  });

  it('gets the error of a failed submission, and the lane continues', async () => {
    const { intake, groups, names } = startIntake({ lanes: 1 });
    const lost = intake.submit(create('d1', 'a'));
    const next = intake.submit(create('d1', 'b'));
    groups[0]!.end(new AppError('unavailable', 'no workflow service'));
    await expect(lost).rejects.toThrow('no workflow service');
    expect(names()).toEqual(['a', 'b']);
    groups[1]!.settle(done(groups[1]!.mutations[0]!));
    await next;
  });

  it('displaces the newest mutation of the longest queue, unless its own queue would be longer', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1, maxWaitingBytes: 6_500, maxGroup: 1 });
    ignoreOutcome(intake.submit(create('d0', '0')));
    const colluding = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map((name) => intake.submit(wait(name)));
    for (const response of colluding) ignoreOutcome(response);
    const [victim, again] = [intake.submit(wait('v1')), intake.submit(wait('v2'))];
    const error = { code: 'unavailable' };
    await expect(colluding[5]).rejects.toMatchObject(error);
    await expect(colluding[2]).rejects.toMatchObject(error);
    // Two of each wait now. A mutation of their size would make its queue the longest, so that it displaces none.
    await expect(intake.submit(wait('v3'))).rejects.toMatchObject(error);
    await expect(intake.submit(create('w', 'w'.repeat(2_500)))).rejects.toMatchObject(error);
    for (let index = 0; index < 7; index += 1) finish(index);
    expect(names().map((name) => name.trim())).toEqual(['0', 'a1', 'b1', 'v1', 'a2', 'b2', 'v2']);
    expect(await Promise.all([victim, again])).toHaveLength(2);
  });

  it('is rejected when the queue is full', async () => {
    const { intake } = startIntake({ lanes: 1, maxWaitingBytes: 200 });
    ignoreOutcome(intake.submit(create('d1', 'a')));
    ignoreOutcome(intake.submit(create('d1', 'b')));
    await expect(intake.submit(create('d1', 'c'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
