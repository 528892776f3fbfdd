import { join } from 'node:path';
import { startReceiver, type Receiver } from '../receiver.ts';
import { until } from '../until.ts';
import { createAttack, holdForMs } from './attack.ts';
import { findInconsistencies } from './ledger.ts';
import { startOtherTenant, type OtherTenantFigures } from './other-tenant.ts';
import type { Scenario } from './scenario.ts';
import { abandonedScenarios } from './scenarios/abandoned.ts';
import { apiKeyScenarios } from './scenarios/api-keys.ts';
import { bodyScenarios } from './scenarios/bodies.ts';
import { connectionScenarios } from './scenarios/connections.ts';
import { deliveryScenarios } from './scenarios/deliveries.ts';
import { groupScenarios } from './scenarios/groups.ts';
import { patchScenarios } from './scenarios/patches.ts';
import { searchScenarios } from './scenarios/searches.ts';
import { valueScenarios } from './scenarios/values.ts';
import { startHostileTarget, type HostileTarget } from './service.ts';

export interface ScenarioFigures {
  name: string;
  seconds: number;
  otherTenant: OtherTenantFigures;
  statuses: Map<number, number>;
  peakMib: number;
  heapMib: number;
  note: string;
  /** Empty if nothing is wrong. */
  problems: string[];
}

export interface HostileOptions {
  scenarios?: Scenario[];
  /** The longest that the other tenant may wait for a response. */
  worstMs: number;
  onFigures?: (figures: ScenarioFigures) => void;
  /** Where a CPU profile of each attack is written. */
  profiles?: string;
}

export const allScenarios: Scenario[] = [
  ...bodyScenarios,
  ...abandonedScenarios,
  ...valueScenarios,
  ...patchScenarios,
  ...searchScenarios,
  ...groupScenarios,
  ...connectionScenarios,
  ...deliveryScenarios,
  ...apiKeyScenarios,
];

const mib = 1024 * 1024;
const heapMarginBytes = 64 * mib;
/** The memory that docs/operate/capacity.md recommends for a process. */
const maxPeakMib = 1_024;

/** Runs attacks one after the other against one process that another tenant uses. The process must survive them all. */
export async function runHostile({ scenarios = allScenarios, worstMs, onFigures, profiles }: HostileOptions): Promise<ScenarioFigures[]> {
  const [target, receiver] = await Promise.all([startHostileTarget(), startReceiver()]);
  try {
    return await attackAll(target, receiver);
  } finally {
    await target.stop();
    await receiver.close();
  }

  async function attackAll(service: HostileTarget, itsReceiver: Receiver): Promise<ScenarioFigures[]> {
    const home = await service.createDirectory('other-tenant', {
      webhook_url: itsReceiver.url,
      webhook_secret: 'a secret of enough characters',
    });
    const otherTenant = startOtherTenant({ ...home, baseUrl: service.baseUrl });
    const all: ScenarioFigures[] = [];
    try {
      // Warm up, so that loading and compilation do not count for an attack.
      await until(() => otherTenant.acknowledged.length >= 20, { timeoutMs: 30_000 });
      await otherTenant.takeFigures();
      const baseHeap = await service.heapBytes();
      for (const scenario of scenarios) {
        const figures = await attackOnce(service, scenario, otherTenant.takeFigures, baseHeap);
        all.push(figures);
        onFigures?.(figures);
        if (!service.isRunning()) return all;
      }
    } finally {
      await otherTenant.stop();
    }
    const last = all.at(-1)!;
    last.problems.push(...(await findInconsistencies(service.db)));
    const delivered = () => itsReceiver.received.map(({ event }) => event.data.id as string);
    await until(() => otherTenant.acknowledged.every((id) => delivered().includes(id)), { timeoutMs: 30_000 }).catch(() =>
      last.problems.push('not every acknowledged user of the other tenant was delivered'),
    );
    const sequences = itsReceiver.received.map(({ event }) => event.sequence as number);
    if (sequences.some((sequence, index) => index > 0 && sequence < sequences[index - 1]!))
      last.problems.push('the webhooks of the other tenant were out of order');
    return all;
  }

  async function attackOnce(
    service: HostileTarget,
    scenario: Scenario,
    takeFigures: () => Promise<OtherTenantFigures>,
    baseHeap: number,
  ): Promise<ScenarioFigures> {
    const problems: string[] = [];
    const directory = await service.createDirectory(`attacker of ${scenario.name.slice(0, 40)}`, scenario.directory);
    const attack = createAttack(service, directory);
    await service.resetPeak();
    await takeFigures();
    const endProfile =
      profiles === undefined
        ? undefined
        : await service.startProfile(join(profiles, `${scenario.name.replaceAll(/\W+/g, '-')}.cpuprofile`));
    const startedMs = performance.now();
    let note: string | void = undefined;
    try {
      note = await scenario.run(attack);
    } catch (error) {
      problems.push(String(error), ...service.output().split('\n').slice(-8));
    } finally {
      attack.end();
    }
    const seconds = (performance.now() - startedMs) / 1000;
    // The effects of the attack after its end count too. The later checks, with full garbage collections, do not.
    await holdForMs(1_000);
    const otherTenant = await takeFigures();
    if (service.isRunning()) await endProfile?.();
    let heap = 0;
    if (service.isRunning()) {
      await until(async () => (heap = await service.heapBytes()) < baseHeap + heapMarginBytes, { timeoutMs: 20_000, everyMs: 500 }).catch(
        () => problems.push(`${Math.round((heap - baseHeap) / mib)} MiB more on the heap than before`),
      );
      await until(async () => (await longStatements(service)) === 0, { timeoutMs: 10_000 }).catch(() =>
        problems.push('statements of the attack still run in Postgres'),
      );
      problems.push(...(await attack.ledger.findProblems(service.db)));
      const peak = Math.round((await service.peakBytes()) / mib);
      if (peak > maxPeakMib) problems.push(`the process held ${peak} MiB at its peak`);
    } else {
      problems.push(`the process ended: ${service.output().slice(-2_000)}`);
    }
    problems.push(...otherTenant.failures.slice(0, 3).map((failure) => `other tenant: ${failure}`));
    if (otherTenant.failures.length > 3) problems.push(`other tenant: ${otherTenant.failures.length - 3} failures more`);
    if (otherTenant.worstMs > worstMs) problems.push(`the other tenant waited ${otherTenant.worstMs} ms`);
    return {
      name: scenario.name,
      seconds,
      otherTenant,
      statuses: attack.statuses,
      peakMib: service.isRunning() ? Math.round((await service.peakBytes()) / mib) : 0,
      heapMib: Math.round(heap / mib),
      note: note ?? '',
      problems,
    };
  }
}

async function longStatements({ db }: HostileTarget): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select count(*) from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid() and now() - query_start > interval '1 second'`,
  );
  return rows[0]!.count;
}

export function toLine({ name, seconds, otherTenant, statuses, peakMib, heapMib, note, problems }: ScenarioFigures): string {
  const counts = [...statuses].map(([status, count]) => `${status}×${count}`).join(' ');
  const line = `${problems.length > 0 ? 'FAILED' : 'ok    '} ${name}: other tenant ${otherTenant.requests} requests, median ${otherTenant.medianMs} ms, worst ${otherTenant.worstMs} ms; peak ${peakMib} MiB, then ${heapMib} MiB of heap; ${seconds.toFixed(1)} s; ${counts}${note && `; ${note}`}`;
  return [line, ...problems.map((problem) => `         ${problem}`)].join('\n');
}
