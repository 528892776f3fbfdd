import type { Caller } from '../../access/caller.ts';

/** What authentication with an API key leaves in `ctx.state` for the operations. */
export interface AuthenticatedState {
  caller: Caller;
}
