import { describe, expect, it } from '@jest/globals';
import type { Mutation, Outcome } from '../../src/directory/mutation.ts';
import { AppError } from '../../src/errors.ts';
import { newId } from '../../src/ids.ts';
import { createIntake, type IntakeOptions } from '../../src/directory/intake.ts';
import { until } from '../support/until.ts';

const create = (directoryId: string, userName: string) =>
  ({ kind: 'createUser', id: newId(), directoryId, resourceId: newId(), resource: { userName } }) as const;
/** Nobody waits for this answer. */
const unheeded = (answer: Promise<Outcome>) => void answer.catch(() => undefined);
const done = ({ id }: Mutation): Outcome => ({ mutationId: id, resourceId: id });

interface Group {
  mutations: Mutation[];
  names: string[];
  settle(outcome: Outcome): void;
  end(error?: Error): void;
}

function createCaller() {
  const listeners = new Set<(reason: Error) => void>();
  let reason: Error | undefined;
  return {
    throwIfLeft() {
      if (reason) throw reason;
    },
    onLeave(listener: (reason: Error) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leave() {
      reason = new Error('left');
      for (const listener of listeners) listener(reason);
    },
  };
}

/** An intake whose workflows the test ends by hand. */
function start(options: Partial<IntakeOptions> = {}) {
  const groups: Group[] = [];
  const intake = createIntake({
    lanes: 2,
    timeoutMs: 5_000,
    lingerMs: 0,
    apply: (mutations, settle) =>
      new Promise((resolve, reject) => {
        const names = mutations.map((mutation) => (mutation as ReturnType<typeof create>).resource.userName);
        groups.push({ mutations, names, settle, end: (error) => (error ? reject(error) : resolve()) });
      }),
    ...options,
  });
  const finish = (index: number) => {
    for (const mutation of groups[index]!.mutations) groups[index]!.settle(done(mutation));
    groups[index]!.end();
  };
  return { intake, groups, finish, names: () => groups.map((group) => group.names.join('')) };
}

describe('group commit', () => {
  it('starts a lone mutation at once, and lets those that come meanwhile share the next workflow', async () => {
    const { intake, finish, names } = start();
    const answers = ['a', 'b', 'c'].map((name) => intake.submit(create('d1', name)));
    expect(names()).toEqual(['a']);
    finish(0);
    await answers[0];
    expect(names()).toEqual(['a', 'bc']);
    finish(1);
    await Promise.all(answers);
  });

  it('gives a free lane to another directory, and never two to one', () => {
    const { intake, names } = start();
    for (const [directory, name] of [
      ['d1', 'a'],
      ['d1', 'b'],
      ['d2', 'x'],
      ['d3', 'y'],
    ] as const)
      unheeded(intake.submit(create(directory, name)));
    expect(names()).toEqual(['a', 'x']);
  });

  it('waits a moment for writers that were just answered, so that they share the next workflow', async () => {
    const { intake, finish, names } = start({ lingerMs: 500 });
    const [first, ...others] = ['a', 'b', 'c'].map((name) => intake.submit(create('d1', name)));
    others.forEach(unheeded);
    finish(0);
    await first;
    expect(names()).toEqual(['a']);
    unheeded(intake.submit(create('d2', 'x')));
    expect(names()).toEqual(['a', 'bcx']);
  });

  it('waits for nobody when a lone writer was answered, and not for long when nobody comes', async () => {
    const { intake, finish, names } = start({ lingerMs: 20 });
    unheeded(intake.submit(create('d1', 'a')));
    finish(0);
    unheeded(intake.submit(create('d1', 'b')));
    expect(names()).toEqual(['a', 'b']);
    unheeded(intake.submit(create('d1', 'c')));
    finish(1);
    expect(names()).toEqual(['a', 'b']);
    await until(() => names()[2] === 'c');
  });

  it('waits only once for a writer that is back before the last of its group is answered', async () => {
    const { intake, groups, finish, names } = start({ lanes: 1, lingerMs: 60_000, maxLingerMs: 60_000 });
    const push = (directoryId: string, name: string) => unheeded(intake.submit(create(directoryId, name)));
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

  it('does not count the time in which the process was busy and could hear nobody', async () => {
    const { intake, finish, names } = start({ lingerMs: 50, maxLingerMs: 5_000 });
    const submit = (name: string) => unheeded(intake.submit(create('d1', name)));
    for (const name of 'abc') submit(name);
    finish(0);
    await until(() => names()[1] === 'bc');
    finish(1);
    await new Promise((resolve) => setImmediate(resolve));
    const busyUntilMs = performance.now() + 200;
    while (performance.now() < busyUntilMs);
    // They arrive when what became due meanwhile was done.
    setTimeout(() => {
      submit('d');
      setImmediate(() => submit('e'));
    }, 1);
    await until(() => names().length === 3);
    expect(names()[2]).toBe('de');
  });

  it('waits on as long as they keep coming, and not for ever', async () => {
    const { intake, finish, names } = start({ lanes: 1, lingerMs: 500, maxLingerMs: 600 });
    const submit = (name: string) => unheeded(intake.submit(create('d1', name)));
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

  it('takes no more directories than the search attribute of a workflow holds', () => {
    const { intake, groups, finish } = start({ lanes: 1 });
    for (let index = 0; index < 70; index += 1) unheeded(intake.submit(create(`d${index}`, 'a')));
    finish(0);
    expect(groups[1]!.mutations).toHaveLength(40);
    finish(1);
    expect(groups[2]!.mutations).toHaveLength(29);
  });

  it('answers each as soon as it is settled, and frees its directory', async () => {
    const { intake, groups, names } = start({ lanes: 1 });
    unheeded(intake.submit(create('d0', '0')));
    const [a, x] = [intake.submit(create('d1', 'a')), intake.submit(create('d2', 'x'))];
    for (const mutation of groups[0]!.mutations) groups[0]!.settle(done(mutation));
    await until(() => names()[1] === 'ax');
    groups[1]!.settle(done(groups[1]!.mutations[0]!));
    await a;
    expect(await Promise.race([x, Promise.resolve('waiting')])).toBe('waiting');
    groups[1]!.settle(done(groups[1]!.mutations[1]!));
    await x;
  });

  it('bounds a group in number and in bytes, and keeps the order', () => {
    const { intake, finish, names } = start({ lanes: 1, maxGroup: 3, maxGroupBytes: 1_500 });
    for (const name of ['0', 'a', 'b', 'c', 'd']) unheeded(intake.submit(create('d1', name)));
    finish(0);
    expect(names()[1]).toBe('abc');
    unheeded(intake.submit(create('d1', 'L'.repeat(1_200))));
    unheeded(intake.submit(create('d1', 'e')));
    finish(1);
    expect(names()[2]).toBe('d');
    finish(2);
    expect(names()[3]).toBe('L'.repeat(1_200));
    finish(3);
    expect(names()[4]).toBe('e');
  });

  it('lets a stuck directory hold its lane for a bounded time only, and keeps the order within it', async () => {
    const { intake, finish, names } = start({ lanes: 1, laneHoldMs: 30 });
    for (const [directory, name] of [
      ['stuck', 'a'],
      ['stuck', 'b'],
      ['other', 'x'],
    ] as const)
      unheeded(intake.submit(create(directory, name)));
    expect(names()).toEqual(['a']);
    await until(() => names().length === 2);
    expect(names()).toEqual(['a', 'x']);
    finish(1);
    finish(0);
    await until(() => names()[2] === 'b');
  });
});

describe('directories that share the intake', () => {
  it('take turns, one mutation of each and then the next of each, and keep their order', () => {
    const { intake, finish, names } = start({ lanes: 1, maxGroup: 4 });
    unheeded(intake.submit(create('d0', '0')));
    for (const name of 'abcdef') unheeded(intake.submit(create('d1', name)));
    for (const name of 'xy') unheeded(intake.submit(create('d2', name)));
    finish(0);
    expect(names()[1]).toBe('abxy');
    unheeded(intake.submit(create('d2', 'z')));
    finish(1);
    expect(names()[2]).toBe('cdez');
  });

  it('are not held up by one that has large mutations waiting', () => {
    const { intake, finish, names } = start({ lanes: 1, maxGroupBytes: 300 });
    const [a, b] = ['a'.repeat(500), 'b'.repeat(500)];
    for (const name of ['0', a, b]) unheeded(intake.submit(create('d1', name)));
    unheeded(intake.submit(create('d2', 'x')));
    finish(0);
    finish(1);
    expect(names().slice(1, 3)).toEqual([a, 'x']);
    finish(2);
    expect(names()[3]).toBe(b);
  });

  it('do not wait for the large mutation of another one, and large ones take turns', async () => {
    const { intake, finish, names } = start({ lanes: 1, largeBytes: 300 });
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => name.repeat(500)) as [string, string, string, string];
    for (const name of [a, b, c]) unheeded(intake.submit(create('d1', name)));
    unheeded(intake.submit(create('d2', 'x')));
    unheeded(intake.submit(create('d3', d)));
    unheeded(intake.submit(create('d3', 'y')));
    unheeded(intake.submit(create('d4', 'z')));
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

  it('each have a share of what waits, in number and in bytes, and the rest is open to others', async () => {
    const { intake } = start({ lanes: 1, maxWaitingPerDirectory: 2 });
    for (const name of 'abc') unheeded(intake.submit(create('d1', name)));
    await expect(intake.submit(create('d1', 'd'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('INTAKE_WAITING_PER_DIRECTORY'),
    });
    unheeded(intake.submit(create('d2', 'x')));

    const { intake: small } = start({ lanes: 1, maxWaitingBytesPerDirectory: 300 });
    for (const name of ['a', 'L'.repeat(500)]) unheeded(small.submit(create('d1', name)));
    await expect(small.submit(create('d1', 'b'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('INTAKE_WAITING_BYTES_PER_DIRECTORY'),
    });
  });

  it('of many values travel alone, so that a small one of another directory does not wait for them', () => {
    const { intake, finish, names } = start({ lanes: 1 });
    unheeded(intake.submit(create('d0', '0')));
    const wide = create('d1', 'wide');
    unheeded(intake.submit({ ...wide, resource: { userName: 'wide', x: Array.from({ length: 5_000 }, () => ({})) } }));
    unheeded(intake.submit(create('d2', 'x')));
    expect(names()).toEqual(['0', 'wide']);
    finish(0);
    expect(names()).toEqual(['0', 'wide', 'x']);
  });

  it('of many values count for the memory that these take, and not for their bytes', async () => {
    const { intake } = start({ lanes: 1, maxWaitingBytesPerDirectory: 200_000 });
    const wide = (userName: string) => {
      const mutation = create('d1', userName);
      return { ...mutation, resource: { userName, x: Array.from({ length: 2_000 }, () => ({})) } };
    };
    unheeded(intake.submit(create('d1', 'a')));
    unheeded(intake.submit(wide('b')));
    await expect(intake.submit(wide('c'))).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('bytes of memory'),
    });
  });
});

describe('a caller', () => {
  it('that leaves takes back what waits, and nobody else is told', async () => {
    const { intake, finish, names } = start({ lanes: 1 });
    const caller = createCaller();
    unheeded(intake.submit(create('d1', 'a')));
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

  it('that leaves does not take back what another one sent too, or what has started', async () => {
    const { intake, finish, names } = start({ lanes: 1 });
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

  it('that sends a create again while the first runs gets the answer of the first', async () => {
    const { intake, groups, finish } = start();
    const answers = [1, 2, 3].map(() => intake.submit(create('d1', 'a')));
    finish(0);
    const outcomes = await Promise.all(answers);
    expect(groups).toHaveLength(1);
    expect(new Set(outcomes.map(({ mutationId }) => mutationId)).size).toBe(1);
    unheeded(intake.submit(create('d1', 'a')));
    expect(groups).toHaveLength(2);
  });

  it('that sends a create again has a time of its own, and is not given up with the first', async () => {
    const { intake, finish, names } = start({ lanes: 1, timeoutMs: 40 });
    unheeded(intake.submit(create('d1', 'a')));
    const [first, again] = [intake.submit(create('d1', 'b')), intake.submit(create('d1', 'b'))];
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    finish(0);
    expect(names()).toEqual(['a', 'b']);
    finish(1);
    expect(await again).toHaveProperty('mutationId');
  });

  it('is the last who waits for a create that others sent too: then it is taken back', async () => {
    const { intake, finish, names } = start({ lanes: 1, timeoutMs: 40 });
    unheeded(intake.submit(create('d1', 'a')));
    const answers = [intake.submit(create('d1', 'b')), intake.submit(create('d1', 'b'))];
    for (const answer of answers) await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
    finish(0);
    unheeded(intake.submit(create('d1', 'c')));
    expect(names()).toEqual(['a', 'c']);
  });

  it('is told in time that it must try again, and what was not handed in is taken back', async () => {
    const { intake, finish, names } = start({ lanes: 1, timeoutMs: 40 });
    const first = intake.submit(create('d1', 'a'));
    const second = intake.submit(create('d1', 'b'));
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    await expect(second).rejects.toMatchObject({ code: 'unavailable' });
    finish(0);
    unheeded(intake.submit(create('d1', 'c')));
    expect(names()).toEqual(['a', 'c']);
  });

  it('gets the failure to hand in, and the lane goes on', async () => {
    const { intake, groups, names } = start({ lanes: 1 });
    const lost = intake.submit(create('d1', 'a'));
    const next = intake.submit(create('d1', 'b'));
    groups[0]!.end(new AppError('unavailable', 'no workflow service'));
    await expect(lost).rejects.toThrow('no workflow service');
    expect(names()).toEqual(['a', 'b']);
    groups[1]!.settle(done(groups[1]!.mutations[0]!));
    await next;
  });

  it('takes the place of the newest of the directories that have most waiting, unless it would have more than they', async () => {
    const wait = (name: string) => create(name[0]!, name.padEnd(1_000));
    const { intake, finish, names } = start({ lanes: 1, maxWaitingBytes: 6_500, maxGroup: 1 });
    unheeded(intake.submit(create('d0', '0')));
    const colluding = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map((name) => intake.submit(wait(name)));
    for (const answer of colluding) unheeded(answer);
    const [victim, again] = [intake.submit(wait('v1')), intake.submit(wait('v2'))];
    const refusal = { code: 'unavailable', message: 'Too many changes are waiting; try again.' };
    await expect(colluding[5]).rejects.toMatchObject(refusal);
    await expect(colluding[2]).rejects.toMatchObject(refusal);
    // Two of each wait now. What is as large as two would be most, and takes nobody's place.
    await expect(intake.submit(wait('v3'))).rejects.toMatchObject(refusal);
    await expect(intake.submit(create('w', 'w'.repeat(2_500)))).rejects.toMatchObject(refusal);
    for (let index = 0; index < 7; index += 1) finish(index);
    expect(names().map((name) => name.trim())).toEqual(['0', 'a1', 'b1', 'v1', 'a2', 'b2', 'v2']);
    expect(await Promise.all([victim, again])).toHaveLength(2);
  });

  it('is refused when too much waits', async () => {
    const { intake } = start({ lanes: 1, maxWaitingBytes: 200 });
    unheeded(intake.submit(create('d1', 'a')));
    unheeded(intake.submit(create('d1', 'b')));
    await expect(intake.submit(create('d1', 'c'))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
