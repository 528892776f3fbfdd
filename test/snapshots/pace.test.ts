import { describe, expect, it } from '@jest/globals';
import { createIntakeActivity } from '../../src/directory/intake/intake-activity.ts';
import type { Intake } from '../../src/directory/intake/ports.ts';
import type { Mutation, Outcome } from '../../src/directory/changes/mutation.ts';
import type { OfDirectory } from '../../src/directory/ports.ts';
import type { User } from '../../src/directory/resources/user.ts';
import { createPace } from '../../src/directory/snapshots/pace.ts';
import type { OpenSnapshot } from '../../src/directory/snapshots/ports.ts';
import { createSnapshots } from '../../src/directory/snapshots/snapshots.ts';
import { newId } from '../../src/ids.ts';

interface Simulation {
  pages?: number;
  /** The work of a page. */
  pageMs?: number;
  timeoutMs?: number;
  isBusy?: (nowMs: number) => boolean;
  /** The time that the reader needs for a page. */
  readerMs?: number;
  signal?: AbortSignal;
}

async function* none() {}

const usersPerPage = 500;
const { signal: never } = new AbortController();

/** Reads a snapshot with a clock of its own. */
async function simulate({ pages = 100, pageMs = 50, timeoutMs = 240_000, isBusy = () => true, readerMs = 0, signal = never }: Simulation) {
  let [nowMs, restedMs, counted] = [0, 0, 0];
  const pace = createPace({
    isBusy: () => isBusy(nowMs),
    countWork: () => {
      counted += 1;
      return Promise.resolve(pages * usersPerPage);
    },
    timeoutMs,
    signal,
    clock: {
      now: () => nowMs,
      sleep(ms) {
        nowMs += ms;
        restedMs += ms;
        return Promise.resolve();
      },
    },
  });
  for (let page = 0; page < pages; page += 1) {
    const endPage = pace.beginPage();
    nowMs += pageMs;
    endPage(usersPerPage);
    nowMs += readerMs;
    await pace.rest();
  }
  return { tookMs: nowMs, restedMs, counted };
}

describe('the pace of a snapshot', () => {
  it('works a twentieth of the time while changes arrive', async () => {
    const { tookMs, restedMs, counted } = await simulate({});
    // The first page is free.
    expect(restedMs).toBe(99 * 19 * 50);
    expect(tookMs).toBe(restedMs + 100 * 50);
    expect(counted).toBe(1);
  });

  it('does not rest, and counts nothing, while no changes arrive', async () => {
    expect(await simulate({ isBusy: () => false })).toEqual({ tookMs: 5_000, restedMs: 0, counted: 0 });
  });

  it('goes on at once when changes stop', async () => {
    const { tookMs, restedMs } = await simulate({ isBusy: (nowMs) => nowMs < 10_000 });
    expect(restedMs).toBeGreaterThan(8_000);
    expect(tookMs - restedMs).toBe(5_000);
    expect(restedMs).toBeLessThan(10_000);
  });

  it('ends in three fifths of its time limit, however long changes arrive', async () => {
    const { tookMs } = await simulate({ pages: 1_000, timeoutMs: 100_000 });
    expect(tookMs).toBeGreaterThan(56_000);
    expect(tookMs).toBeLessThan(61_000);
  });

  it('does not rest if its work alone takes longer', async () => {
    expect(await simulate({ pages: 1_000, timeoutMs: 60_000 })).toMatchObject({ tookMs: 50_000, restedMs: 0 });
  });

  it('does not rest in a small snapshot', async () => {
    expect(await simulate({ pages: 4 })).toMatchObject({ restedMs: 0 });
  });

  it('does not take the time of a slow reader for work', async () => {
    const { restedMs } = await simulate({ readerMs: 300 });
    expect(restedMs).toBe(99 * 19 * 50);
  });

  it('rests at most two seconds after a slow page, and not after it is closed', async () => {
    expect(await simulate({ pages: 20, pageMs: 5_000 })).toMatchObject({ restedMs: 20 * 2_000 });
    expect(await simulate({ signal: AbortSignal.abort() })).toMatchObject({ restedMs: 0 });
  });
});

it('gives way between the pages of a snapshot, and then ends it', async () => {
  let [nowMs, rests, counted] = [0, 0, 0];
  let isBusy = true;
  const user = { directoryId: newId(), id: newId(), userName: 'ada', active: true, version: 1, resource: {} };
  const page = Array.from({ length: usersPerPage }, () => ({ ...user, createdAt: new Date(), updatedAt: new Date() }) as OfDirectory<User>);
  async function* users() {
    for (let number = 1; number <= 10; number += 1) {
      nowMs += 100;
      if (number === 6) isBusy = false;
      yield await Promise.resolve(page);
    }
  }
  const opened: OpenSnapshot = {
    tenant: 'acme',
    product: 'app',
    sequence: 1,
    takenAt: new Date(),
    users,
    groups: none,
    memberships: none,
    count() {
      counted += 1;
      return Promise.resolve({ users: 10 * usersPerPage, groups: 0, memberships: 0 });
    },
    close: () => Promise.resolve(),
  };
  const clock = {
    now: () => nowMs,
    sleep(ms: number) {
      nowMs += ms;
      rests += 1;
      return Promise.resolve();
    },
  };
  const snapshots = createSnapshots({
    store: { open: () => Promise.resolve(opened) },
    recordAct: () => Promise.resolve(),
    isIntakeBusy: () => isBusy,
    maxConcurrent: 1,
    timeoutMs: 240_000,
    clock,
  });
  const { lines } = await snapshots.start(user.directoryId, never);
  let text = '';
  for await (const piece of lines) text += piece;
  // Five pages, each with rests of 19 times 100 ms.
  expect({ rests, counted }).toEqual({ rests: 5 * 19, counted: 1 });
  expect(JSON.parse(text.trimEnd().split('\n').at(-1)!)).toMatchObject({ type: 'end', users: 10 * usersPerPage });
});

it('knows whether changes arrive, and for a second after the last', async () => {
  let nowMs = 0;
  const activity = createIntakeActivity(() => nowMs);
  const open: ((outcome: Outcome) => void)[] = [];
  const intake: Intake = {
    assertAccepts: () => undefined,
    submit: () => new Promise((resolve, reject) => open.push(open.length === 2 ? () => reject(new Error('refused')) : resolve)),
  };
  const watched = activity.watch(intake);
  const submit = () => watched.submit({} as Mutation);
  expect(activity.isBusy()).toBe(false);
  const both = [submit(), submit()];
  open[0]!({} as Outcome);
  await both[0];
  nowMs += 5_000;
  expect(activity.isBusy()).toBe(true);
  open[1]!({} as Outcome);
  await both[1];
  nowMs += 999;
  expect(activity.isBusy()).toBe(true);
  nowMs += 1;
  expect(activity.isBusy()).toBe(false);
  const failing = submit();
  expect(activity.isBusy()).toBe(true);
  open[2]!({} as Outcome);
  await expect(failing).rejects.toThrow('refused');
  nowMs += 1_000;
  expect(activity.isBusy()).toBe(false);
});
