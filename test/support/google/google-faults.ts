import type { Fault } from './google-errors.ts';

export interface GoogleRequest {
  kind: 'consent' | 'token' | 'users' | 'groups' | 'members' | 'unknown';
  method: string;
  path: string;
  query: URLSearchParams;
  /** Only of the token endpoint. */
  form: URLSearchParams;
  authorization: string | undefined;
}

/** A kind of request, a pattern for `METHOD /path?query`, or a predicate. */
type Match = GoogleRequest['kind'] | RegExp | ((request: GoogleRequest) => boolean);
type Hook = (request: GoogleRequest) => unknown;

export interface GoogleFaults {
  /** The next `times` matching requests fail. Faults for the same requests happen in order. */
  failNext(match: Match, fault: Fault, times?: number): void;
  /** Awaited before the response to each matching request, until the returned function is called. */
  before(match: Match, hook: Hook): () => void;
  /** Returns the fault of a request. */
  findFault(request: GoogleRequest): Promise<Fault | undefined>;
}

export function createGoogleFaults(): GoogleFaults {
  const faults: { match: Match; fault: Fault; left: number }[] = [];
  const hooks = new Set<{ match: Match; hook: Hook }>();

  return {
    failNext: (match, fault, times = 1) => void faults.push({ match, fault, left: times }),
    before(match, hook) {
      const entry = { match, hook };
      hooks.add(entry);
      return () => void hooks.delete(entry);
    },
    async findFault(request) {
      for (const { match, hook } of hooks) if (isMet(match, request)) await hook(request);
      const next = faults.find(({ match, left }) => left > 0 && isMet(match, request));
      if (next) next.left -= 1;
      return next?.fault;
    },
  };
}

function isMet(match: Match, request: GoogleRequest): boolean {
  if (typeof match === 'function') return match(request);
  if (typeof match === 'string') return match === request.kind;
  return match.test(`${request.method} ${request.path}${request.query.size > 0 ? `?${request.query.toString()}` : ''}`);
}
