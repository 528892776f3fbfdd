import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Backlog } from './directory/delivery/ports.ts';
import { healthStatuses } from './directory/health/health-status.ts';
import type { HealthSource, MeasuredDirectory } from './directory/health/health-source.ts';

interface MetricsOptions {
  /** Called when metrics are scraped, but at most every five seconds. */
  readBacklog: () => Promise<Backlog>;
  health: HealthSource;
  /** Set if there is a read replica. */
  replica?: ReplicaSource | undefined;
  now?: () => number;
}

interface ReplicaSource {
  state(): { status: string; lagMs: number | undefined };
  reads: Readonly<Record<'replica' | 'primary', number>>;
}

export type Metrics = ReturnType<typeof createMetrics>;

const backlogFreshMs = 5_000;

/** Prometheus metrics of this process, and the backlog of all processes. */
export function createMetrics({ readBacklog, health, replica, now = Date.now }: MetricsOptions) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const instruments = createInstruments(registry);
  const backlog = createBacklogGauges(registry, readBacklog);
  const directories = createHealthGauges(registry, health);
  if (replica) measureReplica(registry, replica);
  let readAtMs = -Infinity;

  return {
    contentType: registry.contentType,
    /** Metrics in Prometheus' text format. Without a database connection, those of the backlog and of health are left out. */
    async text(): Promise<string> {
      if (now() - readAtMs > backlogFreshMs) {
        readAtMs = now();
        await Promise.all([backlog.refresh(), directories.refresh()]);
      }
      return registry.metrics();
    },
    scimRequest: (labels: { method: string; route: string; status: number }, seconds: number) =>
      instruments.scimRequests.observe(labels, seconds),
    mutationWorkflow(count: number, seconds: number) {
      instruments.mutations.inc(count);
      instruments.workflows.observe(seconds);
    },
    attempt({ outcome, kind, events, occurredAt }: { outcome: string; kind: string; events: number; occurredAt: Date }) {
      instruments.attempts.inc({ outcome, kind });
      if (outcome !== 'success' || kind !== 'live') return;
      instruments.delivered.inc(events);
      instruments.lag.observe(Math.max(0, (now() - occurredAt.getTime()) / 1000));
    },
    limited: (labels: { layer: string; bucket: string; outcome: string }) => instruments.limited.inc(labels),
    authenticationFailed: (labels: { at: string; outcome: string }) => instruments.failedAuthentications.inc(labels),
    quotaReached: (quota: string) => instruments.quotasReached.inc({ quota }),
    drifted: (differences: number) => instruments.drift.inc(differences),
    limitStoreFailed: () => instruments.limitStoreFailures.inc(),
    woken: (by: 'change' | 'sweep' | 'request', count: number) => instruments.wakes.inc({ by }, count),
  };
}

/** What this process counts and measures. */
const createInstruments = (registry: Registry, registers = [registry]) => ({
  scimRequests: new Histogram({
    name: 'rollcall_scim_request_seconds',
    help: 'Duration of SCIM requests, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  }),
  workflows: new Histogram({
    name: 'rollcall_mutation_workflow_seconds',
    help: 'Time from the start of a mutation workflow to the outcome of its last mutation.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  }),
  mutations: new Counter({ name: 'rollcall_mutations_total', help: 'Mutations submitted.', registers }),
  attempts: new Counter({
    name: 'rollcall_webhook_attempts_total',
    help: 'Webhook delivery attempts, by outcome and kind.',
    labelNames: ['outcome', 'kind'],
    registers,
  }),
  delivered: new Counter({ name: 'rollcall_events_delivered_total', help: 'Events acknowledged by a receiver.', registers }),
  lag: new Histogram({
    name: 'rollcall_event_delivery_seconds',
    help: 'Time from a change to its delivery, for the oldest event of each acknowledged webhook.',
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3_600, 86_400],
    registers,
  }),
  wakes: new Counter({
    name: 'rollcall_delivery_wakes_total',
    help: 'Deliveries started, by cause.',
    labelNames: ['by'],
    registers,
  }),
  limited: new Counter({
    name: 'rollcall_limits_total',
    help: 'Requests that reached a rate limit, by layer, bucket and outcome.',
    labelNames: ['layer', 'bucket', 'outcome'],
    registers,
  }),
  quotasReached: new Counter({
    name: 'rollcall_quota_rejections_total',
    help: 'Operations rejected because a directory reached a quota, by quota.',
    labelNames: ['quota'],
    registers,
  }),
  limitStoreFailures: new Counter({
    name: 'rollcall_limits_store_failures_total',
    help: 'Requests allowed because the store of a rate limit was unavailable.',
    registers,
  }),
  drift: new Counter({
    name: 'rollcall_sync_drift_total',
    help: 'Differences that complete comparisons found and change lists had not reported.',
    registers,
  }),
  failedAuthentications: new Counter({
    name: 'rollcall_authentication_failures_total',
    help: 'Failed authentications, by place and outcome (rejected or rate-limited).',
    labelNames: ['at', 'outcome'],
    registers,
  }),
});

function measureReplica(registry: Registry, { state, reads }: ReplicaSource): void {
  const registers = [registry];
  const lag = new Gauge({
    name: 'rollcall_read_replica_lag_seconds',
    help: 'How far the read replica is behind. Missing while that is unknown.',
    registers,
    collect() {
      const { lagMs } = state();
      if (lagMs === undefined) lag.remove();
      else lag.set(lagMs / 1000);
    },
  });
  const used: Gauge = new Gauge({
    name: 'rollcall_read_replica_used',
    help: '1 while lists and the feed are read from the read replica, otherwise 0.',
    registers,
    collect: () => used.set(state().status === 'used' ? 1 : 0),
  });
  const answered = new Counter({
    name: 'rollcall_stale_reads_total',
    help: 'Reads that may be out of date, by the server that served them: replica or primary.',
    labelNames: ['server'],
    registers,
    collect() {
      answered.reset();
      for (const [server, count] of Object.entries(reads)) answered.inc({ server }, count);
    },
  });
}

function createBacklogGauges(registry: Registry, readBacklog: () => Promise<Backlog>) {
  const registers = [registry];
  const oldest = new Gauge({
    name: 'rollcall_backlog_oldest_seconds',
    help: 'Age of the oldest undelivered event.',
    registers,
  });
  const waiting = new Gauge({
    name: 'rollcall_backlog_directories',
    help: 'Directories with undelivered events, by the status of their delivery.',
    labelNames: ['status'],
    registers,
  });
  const backlog = new Gauge({ name: 'rollcall_backlog_events', help: 'Undelivered events.', registers });

  return {
    async refresh(): Promise<void> {
      try {
        const { events, directories, oldestSeconds } = await readBacklog();
        waiting.reset();
        for (const [status, count] of Object.entries(directories)) waiting.set({ status }, count);
        backlog.set(events);
        oldest.set(oldestSeconds);
      } catch {
        for (const gauge of [waiting, backlog, oldest]) gauge.remove();
      }
    },
  };
}

/** Directories by health. The labels of each directory grow with their number, so they are shown only on request. */
function createHealthGauges(registry: Registry, { countByHealth, listDirectories }: HealthSource) {
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
