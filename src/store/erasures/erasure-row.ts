import type { Actor } from '../../audit/act.ts';
import type { ErasedCounts } from '../../directory/erasure/ports.ts';

/** First the user is deleted. At the end the certificate is added. */
export type StepName = 'user' | 'events' | 'pending' | 'lane' | 'deliveries' | 'documents' | 'requests' | 'staged' | 'end';

export interface ErasureRow {
  directory_id: string;
  user_id: string;
  id: string;
  public_id: string;
  /** What the erasure was requested by, if that is not the ID. */
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
