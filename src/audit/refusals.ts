import { toSource } from '../limits/networks.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import { type Act, type Actor, anonymousActor } from './act.ts';
import { actAs } from './audit-scope.ts';

export interface Refusal {
  /** Where the credentials were sent: `api`, `scim` and so on. */
  at: string;
  /** The code of the error. */
  reason: string;
  /** A person who is known, but may not sign in. */
  actor?: Actor | undefined;
  /** The client's address; empty if unknown. */
  address: string;
  userAgent: string | undefined;
  requestId: string | undefined;
}

interface RefusalsDeps {
  record(act: Act): Promise<void>;
  log: Pick<Logger, 'warn'>;
  now?: () => number;
  windowMs?: number;
}

interface Group {
  first: Refusal;
  /** Refusals without an entry of their own: those after the first one, and the first one if it could not be written. */
  repeated: number;
}

/** Refusals from further sources share a group. With one process, an hour adds at most twice as many entries. */
const maxGroups = 100;

export type Refusals = ReturnType<typeof createRefusals>;

/**
 * Records refused credentials so that a flood of them cannot fill the log. The first one of a source within an hour gets an entry
 * immediately; those that follow are counted, and get one entry together when the hour ends. Nothing waits for it.
 */
export function createRefusals({ record, log, now = Date.now, windowMs = 3_600_000 }: RefusalsDeps) {
  let groups = new Map<string, Group>();
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const writing = new Set<Promise<void>>();

  return {
    note(refusal: Refusal): void {
      const own = [refusal.at, toSource(refusal.address), refusal.actor?.id].filter((part) => part !== undefined).join(' ');
      const key = groups.has(own) || groups.size < maxGroups ? own : 'others';
      const known = groups.get(key);
      if (known) {
        known.repeated += 1;
        return;
      }
      if (!timer) {
        since = now();
        timer = setTimeout(summarize, windowMs).unref();
      }
      const group = {
        first: key === 'others' ? { ...refusal, address: '', userAgent: undefined, actor: undefined } : refusal,
        repeated: 0,
      };
      groups.set(key, group);
      write(refusal, { reason: refusal.reason }, () => (group.repeated += 1));
    },

    /** Writes what is counted but not yet written. */
    async stop(): Promise<void> {
      await Promise.all(writing);
      summarize();
      await Promise.all(writing);
    },
  };

  function summarize(): void {
    clearTimeout(timer);
    timer = undefined;
    const ended = [...groups.values()];
    groups = new Map();
    for (const { first, repeated } of ended)
      if (repeated > 0) write({ ...first, requestId: undefined }, { repeated, since: new Date(since).toISOString() });
  }

  function write(
    { at, address, userAgent, requestId, actor = anonymousActor }: Omit<Refusal, 'reason'>,
    more: Record<string, string | number>,
    onFailure?: () => void,
  ): void {
    const context = { location: address || null, user_agent: userAgent ?? null, request_id: requestId ?? null };
    const act: Act = { action: 'sign_in.refused', changes: { at, ...more }, result: 'refused' };
    const written = actAs({ actor, context }, () => record(act))
      .catch((error: Error) => {
        onFailure?.();
        log.warn({ error: toLoggableMessage(error) }, 'refused credentials could not be added to the audit log');
      })
      .finally(() => writing.delete(written));
    writing.add(written);
  }
}
