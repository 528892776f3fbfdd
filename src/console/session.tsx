import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from '../client/generated/types.ts';
import type { Result } from '../client/result.ts';
import { send } from '../client/send.ts';
import { service } from './api.ts';
import { hrefOf } from './router.ts';

export type Scope = Session['scopes'][number];

const current = '/api/v1/sessions/current';

export const readSession = () =>
  send(service, { method: 'GET', path: current, pathParameters: [], takes: 'nothing' }, []) as Promise<Result<Session>>;

export async function signOut(): Promise<void> {
  await send(service, { method: 'DELETE', path: current, pathParameters: [], takes: 'nothing' }, []);
  window.location.assign(hrefOf('/sign-in'));
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('The session has not been read yet.');
  return session;
}

/** What the session may not do is absent, and no error. */
export function useMay(): (scope: Scope) => boolean {
  const { scopes } = useSession();
  return (scope) => scopes.includes(scope);
}
