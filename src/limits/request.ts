import type { Counted } from './windows.ts';
import type { Project } from './projects.ts';

/** What the limits want to know of a request. */
export interface LimitedRequest {
  method: string;
  /** As it was sent: the limits read it themselves. */
  path: string;
  /** To this service itself, and not to one behind a gateway that asks. */
  isOwn: boolean;
  address: string;
  /** Of its TLS handshake (JA4, JA3), if a trusted proxy says so. */
  fingerprint?: string | undefined;
  isAuthenticated: boolean;
  project: Project;
  /** At an address without authentication: counted for each source, and not with the project's other requests. */
  isStranger?: boolean;
  /** What layers that let it pass have counted for it; to be given back when a later one refuses it. */
  counted?: Counted[];
  /** Whose account is to be recovered: an e-mail address, or the id of a flow. */
  subject?: string | undefined;
}

/** Endpoint-based limits are about what changes something. */
export const isExempt = (method: string): boolean => ['GET', 'OPTIONS', 'HEAD'].includes(method);
