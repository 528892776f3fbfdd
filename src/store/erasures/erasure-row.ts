import type { Actor } from '../../audit/act.ts';
import type { ErasedCounts } from '../../directory/erasure/ports.ts';

/** `user` deletes the user, and `end` adds the certificate to the audit log. */
export type StepName = 'user' | 'events' | 'pending' | 'lane' | 'deliveries' | 'documents' | 'requests' | 'staged' | 'end';

export interface ErasureRow {
  directory_id: string;
  user_id: string;
  id: string;
  public_id: string;
  /** Google's ID, if the erasure was requested by it. */
  requested_id: string | null;
  requested_by: Actor;
  requested_at: Date;
  step: StepName;
  position: unknown;
  value_keys: string[] | null;
  up_to_sequence: number;
  deleted_at: Date;
  counts: ErasedCounts;
  finished_at: Date | null;
}
