export { createClient, type ClientOptions } from './create-client.ts';
export type { Client } from './generated/client.ts';
export type * from './generated/types.ts';
export type { Answered, CallOptions, ClientError, Refused, Result } from './result.ts';
