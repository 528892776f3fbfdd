import { z } from 'zod';
import { type AuditAction, actorTypes, auditActions, targetTypes } from '../../../audit/act.ts';
import { count, field, id, timeOf } from '../schema-fields.ts';

export const actionNames = Object.keys(auditActions) as [AuditAction, ...AuditAction[]];
const oneLine = z.string();

const actor = z
  .strictObject({
    type: field(z.enum(actorTypes), 'The kind of actor.', 'api_key'),
    id: field(oneLine, "The actor's ID: of an API key, or `root_1` for the first key of `API_KEYS`.", 'root_1'),
    name: field(oneLine, 'The name of an API key, the first characters of a key of `API_KEYS`, or a command.', 'rcl_4f'),
  })
  .meta({ id: 'AuditActor', description: 'Who acted.' });

const target = z
  .strictObject({
    type: field(z.enum(targetTypes), 'The kind of target.', 'directory'),
    id: id("The target's ID."),
    tenant: field(oneLine, 'The customer of a directory.', 'acme').optional(),
    product: field(oneLine, 'The application of a directory.', 'crm').optional(),
  })
  .meta({ id: 'AuditTarget', description: 'A target of an action.' });

const context = z
  .strictObject({
    location: field(oneLine.nullable(), "The client's address.", '203.0.113.7'),
    user_agent: field(oneLine.nullable(), "The client's `User-Agent`, cut to 500 characters.", 'rollcall-cli'),
    request_id: field(oneLine.nullable(), 'The ID of the request in the log.', '0f9d3c0e-6f0f-4a9e-8f4c-6d3f3a1b2c4d'),
  })
  .meta({ id: 'AuditContext', description: 'Where the actor sent the request from. Null if there was no request.' });

const changeValue = z.union([
  z.strictObject({ from: z.unknown(), to: z.unknown() }),
  z.strictObject({ changed: z.literal(true) }),
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
]);

const auditEntrySchema = z
  .strictObject({
    position: field(count.nullable(), 'The place in the chain, without gaps. Null for a key that sees only a part of the log.', 17),
    hash: field(
      oneLine.nullable(),
      'The SHA-256 of the previous hash, the position and the entry.',
      '9f2b5d0c8f0f6c1e5a7d3b1c0e4f8a6b2d9c7e1f3a5b8d0c6e4f2a1b9d7c5e3f',
    ),
    id: id("The entry's ID."),
    action: field(z.enum(actionNames), 'The action.', 'directory.updated'),
    occurred_at: timeOf('When it happened.'),
    actor,
    targets: z.array(target).meta({ description: 'The targets of the action.' }),
    context,
    changes: field(
      z.record(z.string(), changeValue).nullable(),
      'Settings with their old and new values, secrets that changed, and details of the action.',
      { name: { from: 'Acme', to: 'Acme Corporation' }, webhook_secret: { changed: true } },
    ),
    result: field(z.enum(['success', 'refused']), '`refused` for rejected credentials, otherwise `success`.', 'success'),
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit log.' });
export type AuditEntryBody = z.output<typeof auditEntrySchema>;

export const auditPageSchema = z
  .strictObject({
    data: z.array(auditEntrySchema),
    error: z.null(),
    list_metadata: z.strictObject({
      after: field(z.string().nullable(), 'The cursor of the next page: send it as `after`.', 'k3J9…'),
      has_more: field(z.boolean(), 'Whether more entries can be read now.', false),
    }),
  })
  .meta({ id: 'AuditPage', description: 'A page of the audit log.' });

const link = z
  .strictObject({ position: field(count, 'The place in the chain.', 17), hash: field(oneLine, 'The hash.', '9f2b5d0c…') })
  .meta({ id: 'AuditChainLink', description: 'A place in the chain, with its hash.' });

export const auditChainSchema = z
  .strictObject({
    head: link.meta({ description: 'The newest entry.' }),
    anchor: link.meta({ description: 'The newest entry that was deleted after its retention.' }),
  })
  .meta({ id: 'AuditChain', description: 'Both ends of the chain.' });
