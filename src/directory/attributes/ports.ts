import type { DirectoryType } from '../directories/directory.ts';
import type { Hiding } from '../directories/hiding.ts';
import type { AttributeSchema } from './attribute.ts';
import type { AttributeMapping } from './source.ts';

export interface DirectoryMapping {
  product: string;
  type: DirectoryType;
  hiding: Hiding | undefined;
  /** Empty: the product has no attribute schema. */
  schema: AttributeSchema;
  mapping: AttributeMapping;
  /** The number of users. */
  users: number;
  /** The last recomputation. */
  recompute: { id: string; done: number; requestedAt: Date; finishedAt: Date | undefined } | undefined;
}

interface RepeatOptions {
  /** Computes all users also if nothing changes. Default: false. */
  repeats?: boolean | undefined;
}

export interface AttributeStore {
  /** Empty if the product has none. */
  getSchema(product: string): Promise<AttributeSchema>;
  /**
   * Replaces a schema. `check` gets the former one, and throws if that is not possible; `countMapped` tells how many directories map one of
   * these attributes. All directories of the product are recomputed. Returns some of the recomputations; the sweep starts the others.
   */
  setSchema(
    product: string,
    schema: AttributeSchema,
    check: (former: AttributeSchema, countMapped: (names: string[]) => Promise<number>) => Promise<void>,
    options?: RepeatOptions,
  ): Promise<RecomputeKey[]>;
  getMapping(directoryId: string): Promise<DirectoryMapping | undefined>;
  /** Replaces a mapping. `check` gets the schema, which does not change meanwhile, and throws if the mapping does not fit. */
  setMapping(
    directoryId: string,
    mapping: AttributeMapping,
    check: (schema: AttributeSchema) => void,
    options?: RepeatOptions,
  ): Promise<{ recompute: RecomputeKey | undefined } | undefined>;
}

/** A recomputation of a directory. */
export interface RecomputeKey {
  directoryId: string;
  recomputeId: string;
}

export interface RecomputeStore {
  /** The users that come next, as many as fit into a transaction. Undefined: the recomputation has ended, or another one has replaced it. */
  nextUsers(key: RecomputeKey, limit: number): Promise<string[] | undefined>;
  /** Whether a change has turned on the flag that wakes the delivery of the directory. */
  mayWakeDelivery(key: RecomputeKey): Promise<boolean>;
  /** These users are computed. */
  noteProgress(key: RecomputeKey, progress: { after: string; users: number }): Promise<void>;
  /** It has to wait: others come first. */
  postpone(key: RecomputeKey): Promise<void>;
  finish(key: RecomputeKey): Promise<void>;
  /** Recomputations that have made no progress for a while. */
  findUnfinished(limit: number): Promise<RecomputeKey[]>;
}
