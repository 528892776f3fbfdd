import type { Dispatcher } from 'undici';
import { createRollcallApi, type Api, type ApiParts } from './api.ts';
import type { Storage, StorageOptions } from './storage.ts';
import type { Cleanup } from './with-cleanup.ts';
import type { Applied } from '../directory/changes/apply-to-directory.ts';
import type { CommitMutations } from '../directory/intake/intake.ts';
import type { Providers } from './syncs.ts';
import type { DirectoryProvider } from '../directory/sync/provider.ts';
import type { CheckReadiness } from '../http/deps.ts';
import type { Metrics } from '../metrics.ts';
import { createGuardedAgent, parseNetworks, type OwnPorts } from '../webhooks/address-guard.ts';

export interface RuntimeOptions extends StorageOptions {
  allowedNetworks: string[];
  /** Ports of Rollcall's own servers on this machine. Webhooks are not sent there. */
  ownPorts?: OwnPorts;
  /** Replaces Google in tests. */
  provider?: DirectoryProvider | undefined;
}

/** Does the work, in workflows or in this process, and creates an API that submits it. */
export interface RollcallRuntime {
  storage: Storage;
  metrics: Metrics;
  checkReadiness: CheckReadiness;
  createApi(parts: ServedParts): Api;
  /** Stops the workers first, then what they use. */
  stop(): Promise<void>;
}

export interface ServedParts extends Pick<ApiParts, 'apiKeys' | 'libraryKey' | 'limiting' | 'baseUrl' | 'temporalUiUrl' | 'watchIntake'> {
  /** Wraps what applies changes. */
  watchCommits?: (apply: CommitMutations) => CommitMutations;
  /** Receives what a sync changed, if this process runs the syncs. */
  onSynced?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}

type RuntimeParts = Omit<ApiParts, keyof ServedParts | keyof RuntimeOptions> & {
  providers: Providers;
  beforeServing?(parts: ServedParts): void;
  stop(): Promise<void>;
};

export function createRuntime(options: RuntimeOptions, { beforeServing, stop, ...parts }: RuntimeParts): RollcallRuntime {
  const { storage, metrics, checkReadiness, orchestration } = parts;
  const { config, allowedNetworks, log } = options;
  return {
    storage,
    metrics,
    checkReadiness,
    createApi(served) {
      beforeServing?.(served);
      const { watchCommits, onSynced: _, ...rest } = served;
      const commitMutations = watchCommits?.(orchestration.commitMutations) ?? orchestration.commitMutations;
      return createRollcallApi({ ...parts, ...rest, orchestration: { ...orchestration, commitMutations }, config, allowedNetworks, log });
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
