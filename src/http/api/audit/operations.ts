import { Readable, finished } from 'node:stream';
import { z } from 'zod';
import { withPublicId } from '../../../access/narrowing.ts';
import { type AuditAction, auditActions } from '../../../audit/act.ts';
import { maxExportedEntries } from '../../../audit/audit.ts';
import type { AuditFilter, ChainedEntry } from '../../../audit/ports.ts';
import { AppError } from '../../../errors.ts';
import { signalOf } from '../../server/caller-connection.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleId, queryCount, shortText } from '../schema-fields.ts';
import { product, tenant } from '../selector.ts';
import { csvHeader, presentEntry, toCsvLine } from './presenter.ts';
import { actionNames, auditChainSchema, auditPageSchema, type AuditEntryBody } from './schemas.ts';

const [defaultLimit, maxLimit] = [50, 1000];
const time = z.iso
  .datetime({ offset: true, error: 'must be a time like 2026-11-21T08:43:54Z' })
  .transform((text) => new Date(text))
  .optional();
const isAction = (text: string): text is AuditAction => Object.hasOwn(auditActions, text);
const actions = z
  .string('must be given once')
  .transform((text) => [...new Set(text.split(',').flatMap((action) => action.trim() || []))])
  .refine((given): given is AuditAction[] => given.every(isAction), `may name only ${actionNames.join(', ')}`)
  .optional();

const filterFields = {
  actor: shortText.optional().meta({ description: 'Only entries of the actor with this ID.', examples: ['root_1'] }),
  action: actions.meta({ description: 'Only these actions, separated by commas.', examples: ['directory.created,directory.deleted'] }),
  target: shortText.optional().meta({ description: 'Only entries about the target with this ID.', examples: [exampleId] }),
  directory_id: shortText
    .toLowerCase()
    .optional()
    .meta({ description: 'Only entries about this directory, even after it was deleted.', examples: [exampleId] }),
  tenant: tenant.optional(),
  product: product.optional(),
  range_start: time.meta({ description: 'Only entries from this time on.', examples: ['2027-11-20T00:00:00Z'] }),
  range_end: time.meta({ description: 'Only entries before this time.', examples: ['2027-11-21T00:00:00Z'] }),
};
const filterQuery = z.object(filterFields);

const listQuery = filterQuery.extend({
  after: z
    .string('must be given once')
    .max(500)
    .optional()
    .meta({ description: 'The cursor of the previous page.', examples: ['k3J9…'] }),
  limit: queryCount
    .default(0)
    .meta({ description: `The maximum number of entries; default: ${defaultLimit}, maximum: ${maxLimit}.`, examples: [100] }),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .default('desc')
    .meta({ description: 'Newest first (`desc`) or oldest first (`asc`).', examples: ['desc'] }),
});

const formats = {
  jsonl: { type: 'application/jsonl', header: '', toLine: (entry: AuditEntryBody) => `${JSON.stringify(entry)}\n` },
  csv: { type: 'text/csv', header: csvHeader, toLine: toCsvLine },
};

const exportStallMs = 60_000;
const all = '/api/v1/audit-log';
const common = { tag: 'Audit log', auth: 'apiKey', scope: 'audit:read', method: 'get' } as const;
const cursorContext = 'audit log cursor';

export const auditOperations = [
  defineOperation({
    ...common,
    id: 'auditLog.list',
    reach: 'narrowed',
    path: all,
    title: 'List entries of the audit log',
    description:
      'Lists the entries of the audit log, newest first. Send `list_metadata.after` as `after` to get the next page. With `order=asc`, the same cursor also returns entries that are added later.',
    query: listQuery,
    querySynonyms: { actions: 'action', actor_id: 'actor', target_id: 'target' },
    responses: { 200: { description: 'A page of entries.', body: auditPageSchema } },
    handler: async ({ input: { query }, deps, caller }) => {
      const limit = Math.min(query.limit || defaultLimit, maxLimit);
      const after = query.after ? openCursor(deps.cursorSeal.open(query.after, cursorContext)) : undefined;
      const narrowed = withPublicId(caller.narrowed);
      const found = await deps.audit.list(toFilter(query), narrowed, { order: query.order, after, limit: limit + 1 });
      const page = found.slice(0, limit);
      const last = page.at(-1)?.position ?? after;
      return {
        data: page.map((entry) => presentEntry(entry, narrowed)),
        error: null,
        list_metadata: {
          after: last === undefined ? null : deps.cursorSeal.seal(String(last), cursorContext),
          has_more: found.length > limit,
        },
      };
    },
  }),
  defineOperation({
    ...common,
    id: 'auditLog.chain',
    reach: 'deployment',
    path: `${all}/chain`,
    title: 'Get both ends of the chain',
    description:
      'Returns the newest entry of the audit log with its hash, and the position where the log begins. `rollcall audit verify` uses it.',
    responses: { 200: { description: 'Both ends of the chain.', data: auditChainSchema } },
    handler: ({ deps }) => deps.audit.chain(),
  }),
  defineOperation({
    ...common,
    id: 'exportAuditLog',
    reach: 'narrowed',
    path: `${all}/export`,
    title: 'Export the audit log',
    description: `Streams the entries, oldest first, up to the newest one when the export begins, and at most ${maxExportedEntries.toLocaleString('en')}. A process runs two exports at a time. The export itself is recorded.`,
    audit: ['audit_log.exported'],
    query: filterQuery.extend({
      format: z
        .enum(['jsonl', 'csv'], 'must be jsonl or csv')
        .default('jsonl')
        .meta({ description: 'One JSON object per line (`jsonl`), or comma-separated values (`csv`).', examples: ['jsonl'] }),
    }),
    responses: {
      200: {
        description: 'The entries.',
        content: {
          'application/jsonl': z.string().meta({ examples: [`{"id":"${exampleId}","action":"directory.created"}\n`] }),
          'text/csv': z.string().meta({ examples: [csvHeader] }),
        },
      },
    },
    handler: async ({ input: { query }, deps, ctx, caller }) => {
      const narrowed = withPublicId(caller.narrowed);
      const { type, header, toLine } = formats[query.format];
      const { pages, end } = await deps.audit.startExport(toFilter(query), narrowed, signalOf(ctx));
      finished(ctx.res, end);
      // A caller that stops reading gives up its place.
      ctx.res.setTimeout(exportStallMs);
      // Those of a streamed response, which are more than Node expects.
      ctx.res.setMaxListeners(30);
      ctx.type = type;
      ctx.set('Content-Disposition', `attachment; filename="audit-log.${query.format}"`);
      ctx.body = Readable.from(
        toText(pages, header, (entry) => toLine(presentEntry(entry, narrowed))),
        { objectMode: false },
      );
      return undefined;
    },
  }),
];

async function* toText(pages: AsyncIterable<ChainedEntry[]>, header: string, toLine: (entry: ChainedEntry) => string) {
  if (header) yield header;
  for await (const page of pages) yield page.map(toLine).join('');
}

function toFilter({
  action,
  directory_id: directoryId,
  range_start: from,
  range_end: until,
  ...rest
}: z.output<typeof filterQuery>): AuditFilter {
  if (from && until && until <= from)
    throw new AppError('invalid_request', 'range_end must be later than range_start.', { field: 'range_end' });
  return {
    actor: rest.actor,
    target: rest.target,
    actions: action?.length ? action : undefined,
    from,
    until,
    ...(rest.tenant !== undefined && { tenant: rest.tenant }),
    ...(rest.product !== undefined && { product: rest.product }),
    ...(directoryId !== undefined && { directoryId }),
  };
}

function openCursor(text: string | undefined): number {
  const position = Number(text);
  if (text === undefined || !Number.isSafeInteger(position))
    throw new AppError('invalid_request', 'after is not a cursor of this log: send list_metadata.after unchanged.', { field: 'after' });
  return position;
}
