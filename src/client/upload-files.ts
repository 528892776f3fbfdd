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
  /** Called while the bytes of the files are sent. A browser does not call it. */
  onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined;
}

const names = { users: 'users.csv', groups: 'groups.csv', memberships: 'user_groups.csv' } as const;
/** As long as the service waits for a whole request. */
const uploadTimeoutMs = 900_000;

/** Uploads the files of a directory together. Every failure is returned, and nothing is thrown. */
export async function uploadFiles(
  service: Service,
  directoryId: string,
  files: FilesToUpload,
  { dryRun, charset, onProgress, signal, timeoutMs = uploadTimeoutMs }: UploadOptions = {},
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
    return (await sendBody(service, request, toForm(files, onProgress))) as Result<UploadedFiles>;
  } catch (error) {
    if (error instanceof InvalidArgument) return failed('invalid_request', error.message, error.field);
    return failed(
      'invalid_request',
      'The files must be texts, bytes or Blobs, for example { users: "idp_id,email\\n1,ada@acme.example\\n" }.',
    );
  }
}

function toForm(files: FilesToUpload, onProgress: UploadOptions['onProgress']): FormData {
  const given = Object.entries(names).flatMap(([kind, name]) => {
    const content = files[kind as keyof FilesToUpload];
    return content === undefined ? [] : [new File([content], name)];
  });
  const total = given.reduce((sum, { size }) => sum + size, 0);
  let sent = 0;
  const form = new FormData();
  for (const file of given)
    form.append(
      file.name,
      onProgress
        ? countBytes(file, (bytes) => {
            sent += bytes;
            onProgress(sent, total);
          })
        : file,
    );
  return form;
}

/** The form still knows its length: a body that is a stream would not. */
function countBytes(file: File, note: (bytes: number) => void): File {
  const open = () => File.prototype.stream.call(file) as ReadableStream<Uint8Array>;
  const counter = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        note(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
  return Object.assign(file, { stream: () => open().pipeThrough(counter()) });
}
