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
  recompute: RecomputeState | undefined;
}

export interface RecomputeState {
  id: string;
  done: number;
  requestedAt: Date;
  finishedAt: Date | undefined;
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

interface NextUsers {
  userIds: string[];
  isNoted: boolean;
  /** Whether a change was applied within the last second. */
  isBusy: boolean;
}

export interface RecomputeStore {
  /**
   * The users that come next, as many as fit into a transaction: first those that a change of groups has noted. Undefined: the recomputation has
   * ended, or another one has replaced it. `after`: the last one of those that come in order, if the noted progress is older.
   */
  nextUsers(key: RecomputeKey, limit: number, options?: { after?: string | undefined }): Promise<NextUsers | undefined>;
  /** Whether a change has turned on the flag that wakes the delivery of the directory. */
  mayWakeDelivery(key: RecomputeKey): Promise<boolean>;
  /** These users are computed. `after`: the last one of those that come in order. */
  noteProgress(key: RecomputeKey, progress: { after: string | undefined; users: number }): Promise<void>;
  /** It has to wait: others come first. */
  postpone(key: RecomputeKey): Promise<void>;
  /** Returns false if users were noted meanwhile: it goes on. */
  finish(key: RecomputeKey): Promise<boolean>;
  /** Recomputations that have made no progress for a while. */
  findUnfinished(limit: number): Promise<RecomputeKey[]>;
}
