import type { Context } from 'koa';
import { z } from 'zod';
import { knownCharsets, readCharset } from '../../../directory/files/charsets.ts';
import { fileKinds, fileNames } from '../../../directory/files/ports.ts';
import { AppError } from '../../../errors.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { count, exampleId, field } from '../schema-fields.ts';
import { receiveMultipart, receiveOne } from './receive-files.ts';

const flag = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');
const csv = z.string().meta({
  id: 'CsvFile',
  description: 'The bytes of the file, with the names of the columns in its first line.',
  examples: ['idp_id,email,first_name,last_name\n1,ada@acme.example,Ada,Lovelace\n'],
});

const part = z.string().optional().meta({ description: 'The bytes of the file of this name.' });

const query = z.object({
  file: z
    .enum(Object.values(fileNames) as [string, ...string[]], `must be one of ${Object.values(fileNames).join(', ')}`)
    .optional()
    .meta({ description: 'Of a `text/csv` request: which file it is; default: `users.csv`.', examples: ['users.csv'] }),
  more: flag.optional().meta({
    description: 'Of a `text/csv` request: another file of the same set follows within an hour; default: false.',
    examples: ['false'],
  }),
  dry_run: flag.optional().meta({ description: 'Only say what the run would change; default: false.', examples: ['false'] }),
  charset: z
    .string()
    .max(40)
    .refine((given) => readCharset(given) !== undefined, `must be ${knownCharsets}`)
    .optional()
    .meta({
      description: 'The encoding of files without a byte order mark; default: that of the `Content-Type`, or UTF-8.',
      examples: ['windows-1252'],
    }),
});

const uploadedFilesSchema = z
  .strictObject({
    run_id: field(
      z.string().nullable(),
      'The sync run that reads the files. Null: another run must end first, or more files must come.',
      exampleId,
    ),
    complete: field(z.boolean(), 'Whether the set of files is complete.', true),
    dry_run: field(z.boolean(), 'Whether the run only says what it would change.', false),
    users: field(count, 'The users in the files.', 1200).nullable(),
    groups: field(count, 'The groups in the files.', 40).nullable(),
    memberships: field(count, 'The memberships in the files.', 5400).nullable(),
  })
  .meta({ id: 'UploadedFiles', description: 'Files that were accepted.' });

/** Each file travels alone, so the generated client has no method for it. */
export const uploadFiles = defineOperation({
  id: 'uploadFiles',
  tag: 'Files',
  auth: 'apiKey',
  scope: 'files:write',
  audit: ['directory.files_uploaded'],
  method: 'put',
  path: '/api/v1/directory-sync/{directoryId}/files',
  params: directoryParams,
  title: 'Upload files',
  description:
    'Takes the files of a directory of type `csv`, and starts a sync run with them. Authenticate with an API key, or an upload token of the directory. Nothing is changed if a file has a problem.',
  query,
  upload: {
    'text/csv': csv,
    'multipart/form-data': z
      .object(Object.fromEntries(fileKinds.map((kind) => [fileNames[kind], part])))
      .meta({ id: 'CsvFiles', description: 'The files of the set, each in a part with its name.' }),
  },
  responses: { 202: { description: 'The files are accepted, and a run reads them.', data: uploadedFilesSchema } },
  errors: {
    413: 'A file is too large.',
    415: 'The body is not `multipart/form-data` or `text/csv`, or is compressed, or its charset is unknown.',
    422: 'A file has problems; the message names the first, and `problems` more of them.',
  },
  handler: async ({ input: { params, query: asked }, deps, ctx }) => {
    await deps.files.assertUploadable(params.directoryId);
    const isMultipart = assertMediaType(ctx);
    const charset = readCharset(asked.charset ?? charsetOf(ctx) ?? 'utf-8');
    if (charset === undefined) throw new AppError('unsupported_media_type', `The charset of the Content-Type must be ${knownCharsets}.`);
    const receiving = { maxFileBytes: deps.maxFileBytes, charset };
    const kind = fileKinds.find((one) => fileNames[one] === asked.file);
    if (isMultipart && (kind || asked.more !== undefined))
      throw new AppError('invalid_request', 'file and more are for text/csv requests.', { field: kind ? 'file' : 'more' });
    if (asked.more && asked.dry_run)
      throw new AppError('invalid_request', 'dry_run is for the last file of a set: leave it out where more is true.', {
        field: 'dry_run',
      });
    const isDryRun = asked.dry_run ?? false;
    const isPart = asked.more ?? false;
    const files = isMultipart ? receiveMultipart(ctx, receiving) : receiveOne(ctx, kind ?? 'users', receiving);
    const uploaded = await deps.files.upload(params.directoryId, files, { isPart, isWhole: isMultipart, isDryRun });
    if ('problems' in uploaded) throw toError(uploaded);
    const { runId, counts } = uploaded;
    return {
      run_id: runId ?? null,
      complete: counts !== undefined,
      dry_run: isDryRun,
      users: counts?.users ?? null,
      groups: counts?.groups ?? null,
      memberships: counts?.members ?? null,
    };
  },
});

/** Whether the body is a form. */
function assertMediaType(ctx: Context): boolean {
  if (!/^(identity)?$/i.test(ctx.get('content-encoding'))) throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  const type = ctx.is('multipart/form-data', 'text/csv');
  if (type === false || type === null) throw new AppError('unsupported_media_type', 'The body must be multipart/form-data or text/csv.');
  return type === 'multipart/form-data';
}

const charsetOf = (ctx: Context): string | undefined => /;\s*charset="?([^";\s]+)/i.exec(ctx.get('content-type'))?.[1];

function toError(files: {
  problems: { file: string; line: number | null; column: number | null; message: string }[];
  more: number;
}): AppError {
  const [first] = files.problems;
  const total = files.problems.length + files.more;
  const place = first && [first.file, first.line !== null && `line ${first.line}`, first.column !== null && `column ${first.column}`];
  return new AppError(
    'invalid_files',
    `The files have ${total === 1 ? 'a problem' : `${total} problems`}. Nothing was changed. ${total === 1 ? 'It is' : 'The first is'} in ${place?.filter(Boolean).join(', ')}: ${first?.message}`,
    { files },
  );
}
