import type { Context } from 'koa';
import { type ActContext, type Actor, administratorActor, libraryActor, setupActor } from '../../audit/act.ts';
import { actAs } from '../../audit/audit-scope.ts';
import type { NetworkMatcher } from '../../limits/networks.ts';
import type { Operation } from '../operation.ts';
import type { SetupState } from '../setup/authenticate-setup-link.ts';
import type { AuthenticatedState } from './authenticated-state.ts';
import { readCredentials } from './credentials.ts';
import { readClientAddress } from './limits/caller.ts';

export interface AttributionDeps {
  isTrustedProxy: NetworkMatcher;
  /** The key with which the library calls the API inside its own process. */
  libraryKey?: string | undefined;
  /** Called after an operation that may have added to the audit log. */
  onRecorded(): void;
}

/** What an operation adds to the audit log is attributed to its caller. */
export const attributeActs =
  (deps: AttributionDeps) =>
  (operation: Operation): Operation =>
    Array.isArray(operation.audit)
      ? {
          ...operation,
          async handle(ctx, handlerDeps, params) {
            const isSession = (ctx.state as Partial<AuthenticatedState>).session !== undefined;
            await actAs({ actor: toActor(ctx, deps), context: toContext(ctx, deps), isSession }, () =>
              operation.handle(ctx, handlerDeps, params),
            );
            deps.onRecorded();
          },
        }
      : operation;

function toActor(ctx: Context, { libraryKey }: AttributionDeps): Actor {
  const { caller, setupLink } = ctx.state as Partial<AuthenticatedState & SetupState>;
  // Only the pages of a consent and of setup links have no caller.
  if (!caller) return setupLink ? setupActor(setupLink) : administratorActor;
  if (libraryKey !== undefined && readCredentials(ctx) === libraryKey) return libraryActor;
  return { type: caller.type, id: caller.id, name: caller.name };
}

const toContext = (ctx: Context, { isTrustedProxy }: AttributionDeps): ActContext => ({
  location: readClientAddress(ctx, isTrustedProxy) || null,
  user_agent: ctx.get('user-agent') || null,
  request_id: (ctx.state as { requestId?: string }).requestId ?? null,
});
