import { createAsyncScope } from '../shared/async-scope.ts';
import { type ActContext, type Actor, serviceActor } from './act.ts';

interface Acting {
  actor: Actor;
  context: ActContext;
  /** Somebody who has signed in with a browser. The ID may be that of an application's key. */
  isSession?: boolean;
}

const scope = createAsyncScope<Acting>();
const noContext: ActContext = { location: null, user_agent: null, request_id: null };

/** What the work records is attributed to this actor. */
export const actAs = <Result>(
  { actor, context = noContext, isSession = false }: { actor: Actor; context?: ActContext; isSession?: boolean },
  work: () => Result,
): Result => scope.run({ actor, context, isSession }, work);

/** Who acts now. Outside of `actAs` it is the service itself. */
export const currentlyActing = (): Acting => scope.get() ?? { actor: serviceActor, context: noContext };
