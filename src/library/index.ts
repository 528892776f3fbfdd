import type { RollcallOptions } from './rollcall-options.ts';
import { startRollcall, type Rollcall } from './start.ts';

export type * from '../client/index.ts';
export type { EventCallback, RollcallEvent, RollcallOptions } from './rollcall-options.ts';
export type { ScimResponse, ScimRequest, ScimRequests } from './scim-requests.ts';
export type { Rollcall } from './start.ts';
export type { Sync } from './sync.ts';

/**
 * Starts Rollcall in this process.
 *
 * @example
 * const { directories, requests } = await rollcall({ databaseUrl: 'postgres://…', encryptionKeys: ['…'] });
 */
export const rollcall = async (options: RollcallOptions = {}): Promise<Rollcall> => (await startRollcall(options)).rollcall;
