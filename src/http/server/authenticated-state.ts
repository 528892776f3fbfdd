import type { Caller } from '../../access/caller.ts';
import type { Session } from '../../access/session-ports.ts';

/** What authentication leaves in `ctx.state` for the operations. */
export interface AuthenticatedState {
  caller: Caller;
  /** Of a request with a session's cookie in place of an API key. */
  session?: Session;
}
