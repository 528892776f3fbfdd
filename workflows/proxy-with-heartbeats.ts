import { type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { heartbeatTimeoutMs } from '../src/temporal/timeouts.ts';

type Options = Pick<ActivityOptions, 'startToCloseTimeout' | 'retry'> & Partial<ActivityOptions>;

/** Proxies of activities that send heartbeats, so that another worker soon repeats those of a dead one. */
export const proxyWithHeartbeats = (options: Options) => proxyActivities<Activities>({ heartbeatTimeout: heartbeatTimeoutMs, ...options });
