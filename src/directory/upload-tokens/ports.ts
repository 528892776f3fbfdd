import type { ContinuedPage, PageRequest } from '../page.ts';

/** Lets a job push the files of one directory, and do nothing else. */
export interface UploadToken {
  id: string;
  directoryId: string;
  name: string;
  createdAt: Date;
  expiresAt: Date;
  /** When files were last sent with it. */
  lastUsedAt: Date | undefined;
  revokedAt: Date | undefined;
}

interface NewUploadToken {
  id: string;
  name: string;
  expiresAt: Date;
  /** The SHA-256 of its value. */
  hash: Buffer;
}

export interface UploadTokenStore {
  /** `other`: the directory takes no files. Fails if the directory has too many active tokens at this time. */
  create(directoryId: string, token: NewUploadToken, at: Date): Promise<UploadToken | 'other' | undefined>;
  /** Returns the newest token first, also those that are revoked or expired. */
  list(directoryId: string, page: PageRequest<string>): Promise<ContinuedPage<UploadToken, string>>;
  /** Revoking twice keeps the first time. */
  revoke(directoryId: string, id: string): Promise<UploadToken | undefined>;
  /** Whoever shows a value has not been authenticated, so the directory is not known yet. */
  findByHash(hash: Buffer): Promise<UploadToken | undefined>;
  noteUse(directoryId: string, id: string): Promise<void>;
}
