import { describe, expect, it } from '@jest/globals';
import { create, done, startIntake, ignoreOutcome } from '../../support/intake.ts';
import { until } from '../../support/until.ts';

describe('group commit', () => {
  it('starts a lone mutation immediately; mutations that arrive meanwhile share the next workflow', async () => {
    const { intake, finish, names } = startIntake();
    const responses = ['a', 'b', 'c'].map((name) => intake.submit(create('d1', name)));
    expect(names()).toEqual(['a']);
    finish(0);
    await responses[0];
    expect(names()).toEqual(['a', 'bc']);
    finish(1);
    await Promise.all(responses);
  });

  it('gives a free lane to another directory, and never two lanes to one directory', () => {
    const { intake, names } = startIntake();
    for (const [directory, name] of [
      ['d1', 'a'],
      ['d1', 'b'],
      ['d2', 'x'],
      ['d3', 'y'],
    ] as const)
      ignoreOutcome(intake.submit(create(directory, name)));
    expect(names()).toEqual(['a', 'x']);
  });

  it('waits for writers that just got a response, so that they share the next workflow', async () => {
    const { intake, finish, names } = startIntake({ lingerMs: 500 });
    const [first, ...others] = ['a', 'b', 'c'].map((name) => intake.submit(create('d1', name)));
    others.forEach(ignoreOutcome);
    finish(0);
    await first;
    expect(names()).toEqual(['a']);
    ignoreOutcome(intake.submit(create('d2', 'x')));
    expect(names()).toEqual(['a', 'bcx']);
  });

  it('does not wait after the response to a lone writer, and waits briefly when no writer returns', async () => {
    const { intake, finish, names } = startIntake({ lingerMs: 20 });
    ignoreOutcome(intake.submit(create('d1', 'a')));
    finish(0);
    ignoreOutcome(intake.submit(create('d1', 'b')));
    expect(names()).toEqual(['a', 'b']);
    ignoreOutcome(intake.submit(create('d1', 'c')));
    finish(1);
    expect(names()).toEqual(['a', 'b']);
    await until(() => names()[2] === 'c');
  });

  it('waits only once for a writer that returns before the last outcome of its group', async () => {
    const { intake, groups, finish, names } = startIntake({ lanes: 1, lingerMs: 60_000, maxLingerMs: 60_000 });
    const push = (directoryId: string, name: string) => ignoreOutcome(intake.submit(create(directoryId, name)));
    push('one', 'a');
    push('two', 'b');
    finish(0);
    push('one', 'c');
    groups[1]!.settle(done(groups[1]!.mutations[0]!));
    push('two', 'd');
    finish(1);
    push('one', 'e');
    expect(names()).toEqual(['a', 'bc', 'de']);
  });

  it('does not count the time in which the process was too busy to read requests', async () => {
    const { intake, finish, names } = startIntake({ lingerMs: 50, maxLingerMs: 5_000 });
    const submit = (name: string) => ignoreOutcome(intake.submit(create('d1', name)));
    for (const name of 'abc') submit(name);
    finish(0);
    await until(() => names()[1] === 'bc');
    finish(1);
    await new Promise((resolve) => setImmediate(resolve));
    const busyUntilMs = performance.now() + 200;
    while (performance.now() < busyUntilMs);
    // They arrive after the timers that were due meanwhile.
    setTimeout(() => {
      submit('d');
      setImmediate(() => submit('e'));
    }, 1);
    await until(() => names().length === 3);
    expect(names()[2]).toBe('de');
  });

  it('keeps waiting while writers return, up to a limit', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1, lingerMs: 500, maxLingerMs: 600 });
    const submit = (name: string) => ignoreOutcome(intake.submit(create('d1', name)));
    for (const name of 'abcdefghi') submit(name);
    finish(0);
    await until(() => names()[1] === 'bcdefghi');
    const startedMs = performance.now();
    finish(1);
    let next = 0;
    const stream = setInterval(() => submit(String.fromCharCode(65 + next++)), 50);
    await until(() => names().length === 3);
    clearInterval(stream);
    expect(names()[2]).toMatch(/^ABC/);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });

  it('takes at most as many directories as fit into the search attribute of a workflow', () => {
    const { intake, groups, finish } = startIntake({ lanes: 1 });
    for (let index = 0; index < 70; index += 1) ignoreOutcome(intake.submit(create(`d${index}`, 'a')));
    finish(0);
    expect(groups[1]!.mutations).toHaveLength(40);
    finish(1);
    expect(groups[2]!.mutations).toHaveLength(29);
  });

  it('returns each outcome as soon as it is settled, and frees its directory', async () => {
    const { intake, groups, names } = startIntake({ lanes: 1 });
    ignoreOutcome(intake.submit(create('d0', '0')));
    const [a, x] = [intake.submit(create('d1', 'a')), intake.submit(create('d2', 'x'))];
    for (const mutation of groups[0]!.mutations) groups[0]!.settle(done(mutation));
    await until(() => names()[1] === 'ax');
    groups[1]!.settle(done(groups[1]!.mutations[0]!));
    await a;
    expect(await Promise.race([x, Promise.resolve('waiting')])).toBe('waiting');
    groups[1]!.settle(done(groups[1]!.mutations[1]!));
    await x;
  });

  it('limits a group in number and in bytes, and keeps the order', () => {
    const { intake, finish, names } = startIntake({ lanes: 1, maxGroup: 3, maxGroupBytes: 1_500 });
    for (const name of ['0', 'a', 'b', 'c', 'd']) ignoreOutcome(intake.submit(create('d1', name)));
    finish(0);
    expect(names()[1]).toBe('abc');
    ignoreOutcome(intake.submit(create('d1', 'L'.repeat(1_200))));
    ignoreOutcome(intake.submit(create('d1', 'e')));
    finish(1);
    expect(names()[2]).toBe('d');
    finish(2);
    expect(names()[3]).toBe('L'.repeat(1_200));
    finish(3);
    expect(names()[4]).toBe('e');
  });

  it('limits how long a stuck directory keeps its lane, and keeps the order within the directory', async () => {
    const { intake, finish, names } = startIntake({ lanes: 1, laneHoldMs: 30 });
    for (const [directory, name] of [
      ['stuck', 'a'],
      ['stuck', 'b'],
      ['other', 'x'],
    ] as const)
      ignoreOutcome(intake.submit(create(directory, name)));
    expect(names()).toEqual(['a']);
    await until(() => names().length === 2);
    expect(names()).toEqual(['a', 'x']);
    finish(1);
    finish(0);
    await until(() => names()[2] === 'b');
  });
});
