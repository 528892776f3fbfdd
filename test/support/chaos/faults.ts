import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './part.ts';
import type { Random } from './random.ts';
import type { OwnServer, Outage } from './servers.ts';

/** A process or server that was down, and until when. */
export interface Fault {
  kind: string;
  who: 'worker' | 'api' | 'Postgres' | 'Temporal';
  fromMs: number;
  untilMs: number;
}

export interface World {
  api: Part;
  workers: Part[];
  servers: OwnServer[];
}

export interface FaultsOptions {
  world: World;
  /** A factor for the pauses between faults. A long run leaves more time for deliveries. */
  pace: number;
  random: (stream: number) => Random;
  say: (line: string) => void;
  signal: AbortSignal;
}

export interface Faults {
  faults: Fault[];
  /** Causes one fault after the other, each kind equally often. Everything is up again when it ends. */
  run(forMs: number): Promise<void>;
  /** For so long that another worker takes over, without other faults. */
  freezeWorker(): Promise<void>;
  killWorker(): Promise<void>;
  /** All processes of Rollcall. They start again with these settings. */
  killAll(env: Record<string, string>): Promise<void>;
}

const serverOutages: Outage[] = ['killed', 'stopped', 'frozen'];
const processFaults = ['worker killed', 'worker frozen', 'worker killed', 'worker stopped', 'api killed'] as const;
/** Longer than the heartbeat timeout and Temporal's first retry delay: another worker delivers when this one resumes its lanes. */
const frozenWorkerMs = [4_500, 6_500] as const;
/** A process needs a while to start. With shorter pauses, none would be up. */
const betweenProcessFaultsMs = [1_500, 3_500] as const;
const betweenServerFaultsMs = [700, 1_600] as const;
const serverOutageMs = {
  Postgres: [200, 1_800],
  /** Sometimes longer than the heartbeat timeout, so that deliveries of two healthy workers overlap. */
  Temporal: [500, 3_500],
} as const;

export function createFaults({ world, pace, random, say, signal }: FaultsOptions): Faults {
  const { api, workers, servers } = world;
  const faults: Fault[] = [];
  const startedMs = Date.now();
  const [ofProcesses, ofServers] = [random(0), random(1)];
  const dealProcess = ofProcesses.deal(processFaults);
  const dealServer = ofServers.deal(servers.flatMap((server) => serverOutages.map((how) => ({ server, how }))));
  const failing = new Set<Part>();
  const upSinceMs = new Map<Part, number>();

  return {
    faults,
    async run(forMs) {
      const endsAtMs = Date.now() + forMs;
      await Promise.all([failProcesses(endsAtMs), failServers(endsAtMs)]);
    },
    freezeWorker: () => fail(longestUp(), 'worker', 'frozen'),
    killWorker: () => fail(longestUp(), 'worker', 'killed'),
    async killAll(env) {
      await Promise.all(
        [api, ...workers].map((part) => {
          part.configure(env);
          return fail(part, part === api ? 'api' : 'worker', 'killed');
        }),
      );
    },
  };

  async function failProcesses(endsAtMs: number) {
    const under: Promise<void>[] = [];
    while (Date.now() < endsAtMs) {
      const [who, how] = dealProcess().split(' ') as ['worker' | 'api', Outage];
      const up = (who === 'api' ? [api] : workers).filter((part) => !failing.has(part));
      if (up.length > 0) under.push(fail(ofProcesses.pick(up), who, how));
      await pause(ofProcesses, betweenProcessFaultsMs, pace);
    }
    await Promise.all(under);
  }

  async function fail(part: Part, who: Fault['who'], how: Outage) {
    failing.add(part);
    const fault = begin(who, how);
    if (how === 'frozen') await part.freeze(ofProcesses.between(...frozenWorkerMs));
    else await part[how === 'killed' ? 'kill' : 'stop']();
    fault.untilMs = Date.now();
    await part.start();
    failing.delete(part);
    upSinceMs.set(part, Date.now());
    log(`${part.name} is back`);
  }

  /** A worker that has just started may have nothing to deliver yet. */
  function longestUp(): Part {
    return workers.toSorted((a, b) => (upSinceMs.get(a) ?? 0) - (upSinceMs.get(b) ?? 0))[0]!;
  }

  async function failServers(endsAtMs: number) {
    for (;;) {
      await pause(ofServers, betweenServerFaultsMs, pace);
      if (Date.now() >= endsAtMs) return;
      const { server, how } = dealServer();
      const fault = begin(server.name, how);
      const bringBack = await server.takeDown(how);
      try {
        await pause(ofServers, serverOutageMs[server.name]);
      } finally {
        await bringBack();
      }
      fault.untilMs = Date.now();
      log(`${server.name} is back`);
    }
  }

  function begin(who: Fault['who'], how: Outage): Fault {
    const fault = { kind: `${who} ${how}`, who, fromMs: Date.now(), untilMs: Infinity };
    faults.push(fault);
    log(fault.kind);
    return fault;
  }

  function log(what: string) {
    say(`${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${what}`);
  }

  async function pause(drawn: Random, [from, to]: readonly [number, number], times = 1) {
    await delay(drawn.between(from, to) * times, undefined, { signal });
  }
}
