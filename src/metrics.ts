import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Backlog } from './directory/delivery/backlog.ts';

export interface MetricsOptions {
  /** Asked for when somebody looks, and no more often than every few seconds. */
  readBacklog: () => Promise<Backlog>;
  now?: () => number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const backlogFreshMs = 5_000;

/** Figures for Prometheus: of this process, except the backlog, which is of all. */
export function createMetrics({ readBacklog, now = Date.now }: MetricsOptions) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const scimRequests = new Histogram({
    name: 'rollcall_scim_request_seconds',
    help: 'SCIM requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const workflows = new Histogram({
    name: 'rollcall_mutation_workflow_seconds',
    help: 'From the start of a workflow for mutations until all of them are answered.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const mutations = new Counter({ name: 'rollcall_mutations_total', help: 'Mutations handed in.', registers });
  const attempts = new Counter({
    name: 'rollcall_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by what became of them.',
    labelNames: ['outcome', 'kind'],
    registers,
  });
  const delivered = new Counter({ name: 'rollcall_events_delivered_total', help: 'Events that a receiver took.', registers });
  const lag = new Histogram({
    name: 'rollcall_event_delivery_seconds',
    help: 'From a change to its delivery: of the oldest event of each webhook that was taken.',
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400],
    registers,
  });
  const wakes = new Counter({
    name: 'rollcall_delivery_wakes_total',
    help: 'Deliveries woken, by what woke them.',
    labelNames: ['by'],
    registers,
  });

  const limited = new Counter({
    name: 'rollcall_limits_total',
    help: 'Requests that a limit had something to say of, by its layer and bucket, and what became of them.',
    labelNames: ['layer', 'bucket', 'outcome'],
    registers,
  });
  const quotasReached = new Counter({
    name: 'rollcall_quota_rejections_total',
    help: 'Operations rejected because a directory has reached one of its quotas, by quota.',
    labelNames: ['quota'],
    registers,
  });
  const limitStoreFailures = new Counter({
    name: 'rollcall_limits_store_failures_total',
    help: 'Requests that passed a limit because its store did not answer.',
    registers,
  });
  const failedAuthentications = new Counter({
    name: 'rollcall_authentication_failures_total',
    help: 'Failed authentications, by where, and whether they were refused or, being too many, limited.',
    labelNames: ['at', 'outcome'],
    registers,
  });

  const oldest = new Gauge({
    name: 'rollcall_backlog_oldest_seconds',
    help: 'Age of the oldest event that is not delivered.',
    registers,
  });
  const waiting = new Gauge({
    name: 'rollcall_backlog_directories',
    help: 'Directories with events that are not delivered, by the state of their delivery.',
    labelNames: ['status'],
    registers,
  });
  const backlog = new Gauge({ name: 'rollcall_backlog_events', help: 'Events that are not delivered.', registers });
  let readAtMs = -Infinity;

  return {
    contentType: registry.contentType,
    /** The figures as Prometheus reads them. A database that is away leaves those of the backlog out. */
    async text(): Promise<string> {
      if (now() - readAtMs > backlogFreshMs) await refresh();
      return registry.metrics();
    },
    scimRequest: (labels: { method: string; route: string; status: number }, seconds: number) => scimRequests.observe(labels, seconds),
    mutationWorkflow(count: number, seconds: number) {
      mutations.inc(count);
      workflows.observe(seconds);
    },
    attempt({ outcome, kind, events, occurredAt }: { outcome: string; kind: string; events: number; occurredAt: Date }) {
      attempts.inc({ outcome, kind });
      if (outcome !== 'success' || kind !== 'live') return;
      delivered.inc(events);
      lag.observe(Math.max(0, (now() - occurredAt.getTime()) / 1000));
    },
    limited: (labels: { layer: string; bucket: string; outcome: string }) => limited.inc(labels),
    authenticationFailed: (labels: { at: string; outcome: string }) => failedAuthentications.inc(labels),
    quotaReached: (quota: string) => quotasReached.inc({ quota }),
    limitStoreFailed: () => limitStoreFailures.inc(),
    woken: (by: 'change' | 'sweep' | 'request', count: number) => wakes.inc({ by }, count),
  };

  async function refresh() {
    readAtMs = now();
    try {
      const { events, directories, oldestSeconds } = await readBacklog();
      waiting.reset();
      for (const [status, count] of Object.entries(directories)) waiting.set({ status }, count);
      backlog.set(events);
      oldest.set(oldestSeconds);
    } catch {
      for (const gauge of [waiting, backlog, oldest]) gauge.remove();
    }
  }
}
