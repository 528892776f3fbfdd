import type { Dispatcher } from 'undici';
import { createRollcallApi, type Api, type ApiParts } from './api.ts';
import type { Storage, StorageOptions } from './storage.ts';
import type { Cleanup } from './with-cleanup.ts';
import type { Applied } from '../directory/apply-mutations.ts';
import type { ApplyGroup } from '../directory/intake.ts';
import type { HostedProvider } from '../directory/sync/provider.ts';
import type { FindMissing } from '../http/deps.ts';
import type { Metrics } from '../metrics.ts';
import { createGuardedAgent, parseNetworks, type OwnPorts } from '../webhooks/guard.ts';

export interface RuntimeOptions extends StorageOptions {
  allowedNetworks: string[];
  /** Ports of Rollcall's own servers on this machine. Webhooks are not sent there. */
  ownPorts?: OwnPorts;
  /** A test's own, instead of Google. */
  provider?: HostedProvider | undefined;
}

/** What does the work, in workflows or in this process, and what an API needs of it. */
export interface RunningWork {
  storage: Storage;
  metrics: Metrics;
  checkReadiness: FindMissing;
  createApi(parts: ServedParts): Api;
  /** Stops the workers first, then what they use. */
  stop(): Promise<void>;
}

export interface ServedParts extends Pick<ApiParts, 'apiKeys' | 'limiting' | 'baseUrl' | 'watchIntake'> {
  /** Sees what is applied. */
  watchApply?: (apply: ApplyGroup) => ApplyGroup;
  /** Gets what a sync changed, where this process runs the syncs. */
  tellSynced?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}

type RuntimeParts = Omit<ApiParts, keyof ServedParts | keyof RuntimeOptions> & {
  provider: HostedProvider;
  beforeServing?(parts: ServedParts): void;
  stop(): Promise<void>;
};

export function createRuntime(options: RuntimeOptions, { beforeServing, stop, ...parts }: RuntimeParts): RunningWork {
  const { storage, metrics, checkReadiness, orchestration } = parts;
  const { config, allowedNetworks, log } = options;
  return {
    storage,
    metrics,
    checkReadiness,
    createApi(served) {
      beforeServing?.(served);
      const { watchApply, tellSynced: _, ...rest } = served;
      const commitGroup = watchApply?.(orchestration.commitGroup) ?? orchestration.commitGroup;
      return createRollcallApi({ ...parts, ...rest, orchestration: { ...orchestration, commitGroup }, config, allowedNetworks, log });
    },
    stop,
  };
}

export const webhookConnectTimeoutMs = 5_000;

/** Sends webhooks, but not to addresses that are not allowed. */
export function createWebhookAgent({ allowedNetworks, ownPorts }: RuntimeOptions, cleanup: Cleanup): Dispatcher {
  const agent = createGuardedAgent(parseNetworks(allowedNetworks), webhookConnectTimeoutMs, { ...(ownPorts && { ownPorts }) });
  cleanup.add(() => agent.close());
  return agent;
}
