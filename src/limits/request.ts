import type { Counted, WindowState } from './windows.ts';
import type { Project } from './projects.ts';

/** The properties of a request that the limits use. */
export interface LimitedRequest {
  method: string;
  /** The raw path. */
  path: string;
  /** Whether the request is for this service, not for one behind a gateway. */
  isOwn: boolean;
  address: string;
  /** The TLS fingerprint (JA4 or JA3), if a trusted proxy reports it. */
  fingerprint?: string | undefined;
  isAuthenticated: boolean;
  project: Project;
  /** The route requires no authentication, so its requests are counted per source, separately from the project's. */
  isStranger?: boolean;
  /** What the layers have counted for this request; undone if a later layer rejects it. */
  counted?: Counted[];
  /** The account to recover: an e-mail address or a flow ID. */
  subject?: string | undefined;
}

/** Endpoint-based limits apply to changes only. */
export const isExempt = (method: string): boolean => ['GET', 'OPTIONS', 'HEAD'].includes(method);

export type Layer = 'volumetric' | 'project' | 'inflight';

export interface Decision {
  isAllowed: boolean;
  layer: Layer;
  /** The project's bucket; in the other layers, the name of the rule. */
  bucket: string;
  waitMs: number;
  /** It is empty for the inflight layer. */
  windows: WindowState[];
}
