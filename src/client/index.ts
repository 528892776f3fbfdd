export { createClient, type ClientOptions } from './create-client.ts';
export type { Client } from './generated/client.ts';
export type * from './generated/types.ts';
export type { Success, CallOptions, ClientError, Failure, Result } from './result.ts';
