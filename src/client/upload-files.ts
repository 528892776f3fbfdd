import { InvalidArgument } from './build-request.ts';
import type { UploadedFiles } from './generated/types.ts';
import type { CallOptions, Result } from './result.ts';
import { failed, sendBody, type Service } from './send.ts';

/** The files of a directory of type `csv`, each as text, bytes or a Blob. The Blob of `fs.openAsBlob` is read from the disk while it is sent. */
export interface FilesToUpload {
  users: FileContent;
  /** With `memberships`, or neither. */
  groups?: FileContent | undefined;
  memberships?: FileContent | undefined;
}

export type FileContent = string | Uint8Array<ArrayBuffer> | Blob;

export interface UploadOptions extends CallOptions {
  /** The run only says what it would change. */
  dryRun?: boolean | undefined;
  /** The encoding of files without a byte order mark; default: UTF-8. */
  charset?: string | undefined;
}

const names = { users: 'users.csv', groups: 'groups.csv', memberships: 'user_groups.csv' } as const;
/** As long as the service waits for a whole request. */
const uploadTimeoutMs = 900_000;

/** Uploads the files of a directory together. Every failure is returned, and nothing is thrown. */
export async function uploadFiles(
  service: Service,
  directoryId: string,
  files: FilesToUpload,
  { dryRun, charset, signal, timeoutMs = uploadTimeoutMs }: UploadOptions = {},
): Promise<Result<UploadedFiles>> {
  try {
    if (typeof directoryId !== 'string' || !/^[\w-]+$/.test(directoryId))
      throw new InvalidArgument('directoryId', 'directoryId must be an ID, for example 0f3c2a9e-6c1b-4c57-9d53-0c8f3a1b2d4e.');
    const query = new URLSearchParams({ ...(dryRun && { dry_run: 'true' }), ...(charset !== undefined && { charset }) });
    const search = query.size === 0 ? '' : `?${query.toString()}`;
    const request = {
      method: 'PUT',
      path: `/api/v1/directory-sync/${directoryId}/files`,
      search,
      waitMs: 0,
      options: { signal, timeoutMs },
    };
    return (await sendBody(service, request, toForm(files))) as Result<UploadedFiles>;
  } catch (error) {
    if (error instanceof InvalidArgument) return failed('invalid_request', error.message, error.field);
    return failed(
      'invalid_request',
      'The files must be texts, bytes or Blobs, for example { users: "idp_id,email\\n1,ada@acme.example\\n" }.',
    );
  }
}

function toForm(files: FilesToUpload): FormData {
  const form = new FormData();
  for (const [name, file] of Object.entries(names)) {
    const content = files[name as keyof FilesToUpload];
    if (content !== undefined) form.append(file, content instanceof Blob ? content : new Blob([content]), file);
  }
  return form;
}
