import type { BodyState, RecordedRequest, RequestFilter } from '../../directory/recorded-requests/recorded-request.ts';

export interface RecordedRequestRow {
  directory_id: string;
  id: string;
  at: Date;
  method: string;
  path: string;
  status: number;
  scim_type: string | null;
  detail: string | null;
  duration_ms: number;
  request_id: string;
  user_agent: string;
  content_type: string;
  body: string | null;
  body_state: BodyState;
  body_bytes: number | null;
}

/** SQL that is true for the requests of a filter. */
export const matching = ({ outcome, isWrite }: RequestFilter = {}): string =>
  [
    ...(outcome === undefined ? [] : [outcome === 'failed' ? 'status >= 400' : 'status < 400']),
    ...(isWrite ? [`method <> 'GET'`] : []),
  ].join(' and ') || 'true';

export const toRecordedRequest = (row: RecordedRequestRow): RecordedRequest => ({
  directoryId: row.directory_id,
  id: row.id,
  at: row.at,
  method: row.method,
  path: row.path,
  status: row.status,
  scimType: row.scim_type ?? undefined,
  detail: row.detail ?? undefined,
  durationMs: row.duration_ms,
  requestId: row.request_id,
  userAgent: row.user_agent,
  contentType: row.content_type,
  body: row.body ?? undefined,
  bodyState: row.body_state,
  bodyBytes: row.body_bytes ?? undefined,
});
