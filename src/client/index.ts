export { createClient, type Client, type ClientOptions } from './create-client.ts';
export { SnapshotError, type SnapshotLine } from './snapshot.ts';
export type { FileContent, FilesToUpload, UploadOptions } from './upload-files.ts';
export type { Mirrored, MirrorEvent, MirrorOptions, MirrorRow, MirrorStore } from './mirror.ts';
export type * from './generated/types.ts';
export type { Success, CallOptions, ClientError, Failure, Result } from './result.ts';
