/** What a directory that is being deleted needs next. */
type NextRemoval =
  /** Users or groups to delete, of one kind. */
  | { kind: 'delete'; resource: 'user' | 'group'; ids: string[] }
  /** The webhook has to accept events first. */
  | { kind: 'wait' }
  /** Everything was emitted, and delivered or given up. */
  | { kind: 'end' };

export interface RemovalPlace {
  resource: 'user' | 'group';
  id: string;
}

/** Work on a directory that is too much for one transaction. Each call is bounded, and may be repeated. */
export interface DirectoryBatchStore {
  /** What is in progress. Undefined if there is nothing to do, or the directory is gone. */
  findWork(directoryId: string): Promise<'removal' | 'inactive_users' | undefined>;
  /** The next users or groups, after those that were deleted last. */
  nextRemoval(directoryId: string, after: RemovalPlace | undefined): Promise<NextRemoval>;
  /** Hides the directory; its data can be deleted. False, without changes, if something is left. */
  endRemoval(directoryId: string): Promise<boolean>;
  /** Emits the next events of a change of `inactive_users`. `wait`: the webhook has to accept events first. */
  emitInactive(directoryId: string): Promise<'more' | 'wait' | 'done'>;
  /** Directories whose work has made no progress for a while. */
  findUnfinished(limit: number): Promise<string[]>;
}
