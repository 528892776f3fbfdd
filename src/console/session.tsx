import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from '../client/generated/types.ts';
import type { Result } from '../client/result.ts';
import { send } from '../client/send.ts';
import { isSignedOut, service } from './api.ts';
import { textOf } from './parts/error-text.ts';
import { announce } from './parts/toasts.tsx';
import { hrefOf } from './router.ts';

export type Scope = Session['scopes'][number];

const current = '/api/v1/sessions/current';

export const readSession = () =>
  send(service, { method: 'GET', path: current, pathParameters: [], takes: 'nothing' }, []) as Promise<Result<Session>>;

const end = (path: string) =>
  send(service, { method: 'DELETE', path, pathParameters: [], takes: 'nothing' }, []) as Promise<Result<unknown>>;

export const endEverySession = () => end('/api/v1/sessions');
export const showSignIn = () => window.location.assign(hrefOf('/sign-in'));

export async function signOut(): Promise<void> {
  const { error } = await end(current);
  if (error && !isSignedOut(error)) announce(textOf(error));
  else showSignIn();
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('The session has not been read yet.');
  return session;
}

/** A session for one directory creates no other one, and no link for one. */
export const mayCreateDirectories = ({ scopes, directory_id: only }: Session): boolean =>
  scopes.includes('directories:write') && only === null;

/** What the session may not do is absent, and no error. */
export function useMay(): (scope: Scope) => boolean {
  const { scopes } = useSession();
  return (scope) => scopes.includes(scope);
}
