import { Gauge, type Registry } from 'prom-client';
import { healthStatuses } from './directory/health/health-status.ts';
import type { HealthSource, MeasuredDirectory } from './directory/health/health-source.ts';

/** Directories by health. The labels of each directory grow with their number, so they are shown only on request. */
export function createHealthGauges(registry: Registry, { countByHealth, listDirectories }: HealthSource) {
  const registers = [registry];
  const directories = new Gauge({
    name: 'rollcall_directories',
    help: 'Directories, by health.',
    labelNames: ['health'],
    registers,
  });
  const ofEach = listDirectories && createGaugesOfEach(registry);

  return {
    async refresh(): Promise<void> {
      try {
        const [counts, each] = await Promise.all([countByHealth(), listDirectories?.()]);
        for (const health of healthStatuses) directories.set({ health }, counts[health] ?? 0);
        ofEach?.set(each ?? []);
      } catch {
        directories.reset();
        ofEach?.set([]);
      }
    },
  };
}

function createGaugesOfEach(registry: Registry) {
  const registers = [registry];
  const labelNames = ['directory_id', 'tenant', 'product'];
  const health = new Gauge({
    name: 'rollcall_directory_health',
    help: '1 for the current health of each directory.',
    labelNames: [...labelNames, 'health'],
    registers,
  });
  const backlog = new Gauge({
    name: 'rollcall_directory_backlog_events',
    help: 'Undelivered events of each directory.',
    labelNames,
    registers,
  });
  return {
    set(measured: MeasuredDirectory[]): void {
      health.reset();
      backlog.reset();
      for (const { id, tenant, product, status, backlog: events } of measured) {
        const labels = { directory_id: id, tenant, product };
        health.set({ ...labels, health: status }, 1);
        backlog.set(labels, events);
      }
    },
  };
}
