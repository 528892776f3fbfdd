import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './part.ts';
import type { Random } from './random.ts';
import type { OwnServer, WayAway } from './servers.ts';

/** Something that was taken away, and when it was back. */
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
  random: (stream: number) => Random;
  say: (line: string) => void;
  signal: AbortSignal;
}

const ways: WayAway[] = ['killed', 'stopped', 'frozen'];
/** Longer than the heartbeat time-out, so that somebody else takes over, and it goes on with what it believes to hold. */
const frozenWorkerMs = [2_300, 3_500] as const;

/** Takes processes and servers away, each kind as often as the others, for as long as it is told. */
export function createFaults({ world, random, say, signal }: FaultsOptions) {
  const faults: Fault[] = [];
  const { between, pick, deal } = random(0);
  const dealProcess = deal(['worker killed', 'worker killed', 'worker stopped', 'worker frozen', 'api killed'] as const);
  const ofServers = random(1);
  const dealServer = ofServers.deal(world.servers.flatMap((server) => ways.map((how) => ({ server, how }))));
  const startedMs = Date.now();
  const busy = new Set<Part>();

  return {
    faults,
    /** Everything is back when it ends. */
    async run(forMs: number): Promise<void> {
      const endsAtMs = Date.now() + forMs;
      await Promise.all([troubleProcesses(endsAtMs), troubleServers(endsAtMs)]);
    },
  };

  async function troubleProcesses(endsAtMs: number) {
    const under: Promise<void>[] = [];
    while (Date.now() < endsAtMs) {
      const kind = dealProcess();
      const [who, how] = kind.split(' ') as ['worker' | 'api', WayAway];
      const up = (who === 'api' ? [world.api] : world.workers).filter((part) => part.isUp() && !busy.has(part));
      if (up.length > 0) under.push(strike(pick(up), who, how));
      await delay(between(1_200, 2_600), undefined, { signal });
    }
    await Promise.all(under);
  }

  async function strike(part: Part, who: Fault['who'], how: WayAway) {
    busy.add(part);
    const fault = begin(`${who} ${how}`, who);
    if (how === 'frozen') await part.freeze(between(...frozenWorkerMs));
    else {
      await part[how === 'killed' ? 'kill' : 'stop']();
      fault.untilMs = Date.now();
      await delay(between(0, 600), undefined, { signal });
      await part.start();
    }
    if (how === 'frozen') fault.untilMs = Date.now();
    busy.delete(part);
    tell(`${part.name} is back`);
  }

  async function troubleServers(endsAtMs: number) {
    for (;;) {
      await delay(ofServers.between(700, 1_600), undefined, { signal });
      if (Date.now() >= endsAtMs) return;
      const { server, how } = dealServer();
      const fault = begin(`${server.name} ${how}`, server.name);
      const bringBack = await server.takeAway(how);
      try {
        await delay(ofServers.between(200, 1_800), undefined, { signal });
      } finally {
        await bringBack();
      }
      fault.untilMs = Date.now();
      tell(`${server.name} is back`);
    }
  }

  function begin(kind: string, who: Fault['who']): Fault {
    const fault = { kind, who, fromMs: Date.now(), untilMs: Infinity };
    faults.push(fault);
    tell(kind);
    return fault;
  }

  function tell(what: string) {
    say(`${((Date.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${what}`);
  }
}
