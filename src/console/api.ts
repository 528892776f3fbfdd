import { callsOf } from '../client/create-client.ts';
import type { ClientError, Result } from '../client/result.ts';
import type { Service } from '../client/send.ts';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isIdle, onReturn } from './activity.ts';
import { base, hrefOf } from './router.ts';

/** The browser adds the cookie of the session. No key is in the page, its address or its storage. */
export const service: Service = {
  baseUrl: `${window.location.origin}${base}`,
  apiKey: undefined,
  fetch: window.fetch.bind(window),
  timeoutMs: 30_000,
};

/** The typed client of the API. */
export const api = callsOf(service);

const returnKey = 'rollcall.return';

/** To the sign-in page, and afterwards back here. */
export function goToSignIn(): void {
  window.sessionStorage.setItem(returnKey, `${window.location.pathname}${window.location.search}`);
  window.location.assign(hrefOf('/sign-in'));
}

/** Where the person was when the session ended. */
export function takeReturnAddress(): string | undefined {
  const address = window.sessionStorage.getItem(returnKey) ?? undefined;
  window.sessionStorage.removeItem(returnKey);
  return address?.startsWith(hrefOf('/')) ? address : undefined;
}

export const isSignedOut = (error: ClientError | undefined): boolean =>
  error !== undefined && ['unauthorized', 'session_unknown', 'session_ended', 'session_expired'].includes(error.code);

export interface Read<Value> {
  /** The last response. It stays while it is read again. */
  value: Value | undefined;
  error: ClientError | undefined;
  isLoading: boolean;
  reload(): void;
}

type Succeeded<Response> = Extract<Response, { error: null }>;

/**
 * Reads when `inputs` change, and every `everyMs` while the page is visible and somebody is there. What is still being read for earlier
 * inputs is canceled, and its response ignored. A slow read is waited for: the next one begins after it.
 */
export function useRead<Response extends Result<unknown>>(
  read: (options: { signal: AbortSignal }) => Promise<Response>,
  inputs: readonly unknown[],
  { everyMs }: { everyMs?: number } = {},
): Read<Succeeded<Response>> {
  const key = JSON.stringify(inputs);
  const [state, setState] = useState<{ key: string; value?: Succeeded<Response> | undefined; error?: ClientError | undefined }>({
    key: '',
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  const running = useRef<AbortController | undefined>(undefined);
  const reload = useCallback(() => setTurn((former) => former + 1), []);

  useEffect(() => {
    const controller = new AbortController();
    running.current = controller;
    const load = async () => {
      const result = await latest.current({ signal: controller.signal }).finally(() => {
        if (running.current === controller) running.current = undefined;
      });
      if (controller.signal.aborted) return;
      if (isSignedOut(result.error ?? undefined)) return goToSignIn();
      setState((former) =>
        result.error === null
          ? { key, value: result as Succeeded<Response> }
          : { key, value: former.key === key ? former.value : undefined, error: result.error },
      );
    };
    void load();
    return () => controller.abort();
  }, [key, turn]);

  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const poll = () => {
      if (document.visibilityState === 'visible' && !isIdle() && running.current === undefined) reload();
    };
    const timer = setInterval(poll, everyMs);
    const forget = onReturn(poll);
    return () => {
      clearInterval(timer);
      forget();
    };
  }, [everyMs, reload]);

  const isCurrent = state.key === key;
  return { value: isCurrent ? state.value : undefined, error: isCurrent ? state.error : undefined, isLoading: !isCurrent, reload };
}

/** Something that a button does. `run` resolves to the response if it succeeded. */
export function useAction<Given extends unknown[], Response extends Result<unknown>>(act: (...given: Given) => Promise<Response>) {
  const [error, setError] = useState<ClientError>();
  const [result, setResult] = useState<Succeeded<Response>>();
  const [isRunning, setIsRunning] = useState(false);
  const run = async (...given: Given): Promise<Succeeded<Response> | undefined> => {
    setIsRunning(true);
    setError(undefined);
    setResult(undefined);
    const response = await act(...given);
    setIsRunning(false);
    if (response.error === null) {
      setResult(response as Succeeded<Response>);
      return response as Succeeded<Response>;
    }
    if (isSignedOut(response.error)) goToSignIn();
    else setError(response.error);
    return undefined;
  };
  return { run, result, error, isRunning };
}
