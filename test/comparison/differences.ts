import type { KnownDifference } from './find-differences.ts';

const toUser = /POST \/Users|(GET|PUT|PATCH) \/Users\//;
const toGroups = /(GET|POST|PUT|PATCH) \/Groups/;

/** Where Rollcall deliberately differs from Ory Polis, and why. A line that matches nothing fails the test too. */
export const differences: KnownDifference[] = [
  // SCIM: statuses
  { step: /DELETE \/|PATCH \/Groups/, path: /^status$/, polis: 200, rollcall: 204, reason: 'RFC 7644: there is no body.' },
  { step: /DELETE \/|PATCH \/Groups/, path: /^data\./, rollcall: undefined, reason: 'RFC 7644: there is no body.' },
  { step: /deactivated directory/, path: /^status$/, polis: 200, rollcall: 403, reason: 'The provider must know that nothing was stored.' },
  {
    step: /unknown directory/,
    path: /^status$/,
    polis: 500,
    rollcall: 401,
    reason: 'A guessed directory gets the same answer as a wrong secret.',
  },
  {
    step: /POST \/|PATCH \/Users/,
    path: /^status$/,
    rollcall: 409,
    reason: '`userName`, `externalId` and names of groups are unique, in any case.',
  },
  {
    step: /: 5 POST|: 22 PATCH/,
    path: /^events$/,
    rollcall: [],
    reason: '`userName`, `externalId` and names of groups are unique, in any case.',
  },

  // SCIM: responses
  { step: /\/(ServiceProviderConfig|ResourceTypes|Schemas)/, path: /^(status|data\..*)$/, reason: 'Polis has no discovery.' },
  { path: /^data\.(status|scimType|detail|schemas)$/, polis: undefined, reason: 'RFC 7644: an error says what it is.' },
  { path: /^data\.detail$/, reason: 'Messages say what to do.' },
  { path: /^data\.(Resources\.\d+\.)?meta(\.\w+)?$/, reason: 'RFC 7643: resources have `meta`, which the service assigns.' },
  { path: /^data\.(Resources\.\d+\.)?groups$/, reason: 'RFC 7643: users show their groups, which the service assigns.' },
  { path: /^data\.(Resources\.\d+\.)?members$/, reason: 'RFC 7643: groups show their members.' },
  {
    step: toUser,
    path: /^data\.(schemas|emails|externalId|name|displayName|title|manager|addresses|roles|phoneNumbers|active|password)(\.|$)/,
    reason: 'SCIM responses have the form of the schema; `raw` has the form that was pushed.',
  },
  { step: toGroups, path: /^data\.(externalId|displayName)$/, reason: 'SCIM responses have what was pushed.' },
  {
    step: /GET \/Users\?/,
    path: /^data\.(totalResults|itemsPerPage|startIndex|Resources)(\.|$)/,
    reason: 'Polis looks up every filter as an email, and pages incompletely.',
  },
  { step: /GET|PATCH \/Groups/, path: /^$/, polis: 'throws', reason: 'Polis fails on filters and values of another form.' },

  {
    step: toUser,
    path: /^data\.urn:ietf:params:scim:schemas:extension:enterprise:2/,
    reason: 'Polis takes the dot of a schema for a path, and keeps an empty extension.',
  },
  {
    step: /GET \/Groups\?/,
    path: /^data\.(totalResults|itemsPerPage|Resources)$/,
    reason: 'Polis looks up every filter of groups as a name, in the case that it has.',
  },
  {
    step: /: 5 POST|: 22 PATCH/,
    path: /^data\./,
    reason: '`userName`, `externalId` and names of groups are unique, in any case.',
  },

  // Events
  {
    path: /^(events\.)?(\d+\.|data\.\d+\.payload\.|payload\.)(id|sequence|occurred_at)$/,
    polis: undefined,
    reason: 'Events have an ID, a position and a time.',
  },
  {
    path: /^(events\.)?(\d+\.|data\.\d+\.payload\.|payload\.)(reason|changes|previous_attributes)$/,
    polis: undefined,
    reason: 'Events say why they were emitted, and updates what changed, beside `data`.',
  },
  { step: /DELETE \//, path: /^events$/, reason: 'Members leave a group before it, or they, are deleted.' },
  {
    step: /(POST|PUT|PATCH) \/Groups/,
    path: /^events$/,
    reason: 'Members of POST and PUT count, as do all forms of PATCH; events are real changes only.',
  },
  { step: /PATCH \/Users/, path: /^events$/, rollcall: [], reason: 'Events are real changes only.' },
  { step: /POST \/Users/, path: /^events$/, reason: 'A group that named a user before it exists has it then.' },
  {
    path: /^(events\.\d+\.)?data\.(\d+\.)?active$/,
    reason: '`active` is a boolean, whatever the provider sends, and missing means unchanged.',
  },
  { path: /^(events\.\d+\.)?data\.email$/, reason: '`email` is the primary address.' },
  { path: /^events\.\d+\.data\.(first_name|last_name)$/, polis: '', reason: 'A PATCH of `name` as an object counts too.' },
  { path: /^events\.\d+\.data\.roles$/, polis: undefined, reason: 'A PATCH of `roles` counts too.' },

  // raw
  { path: /raw\.(meta|groups)$/, polis: undefined, reason: 'The provider sends back what it has read, and Polis returns neither.' },
  { path: /raw\.password$/, rollcall: undefined, reason: 'Passwords are kept nowhere.' },
  { path: /raw\.members$/, rollcall: [], reason: 'Polis keeps the members of a PUT in `raw`, whoever leaves the group later.' },
  { path: /raw\.urn:ietf:params:scim:schemas:extension:enterprise:2/, reason: 'Polis takes the dot of a schema for a path.' },
  { path: /raw\.emails$/, reason: 'A PATCH adds an address that a filter does not find.' },
  { step: /Groups/, path: /raw\.externalId$/, rollcall: undefined, reason: 'A PUT of a group replaces `raw`.' },
  { step: /: a user/, path: /raw\.id$/, polis: undefined, reason: '`raw` has the ID, however a user is created.' },

  // Lists
  { on: 'http', step: /one group with members/, path: /raw\.members$/, reason: 'Over HTTP a single group shows its members.' },
  {
    path: /^data\.(\d+\.)?(idp_id|user_name|state|created_at|updated_at|member_count)$/,
    polis: undefined,
    reason: 'Users and groups have more facts.',
  },
  {
    path: /^data\.(\d+\.)?(user_state_events|inactive_users|on_directory_delete|accept_scim_secret)$/,
    polis: undefined,
    reason: 'More options of directories.',
  },
  { path: /^data\.(\d+\.)?directoryId$/, polis: undefined, reason: 'In Polis it is gone after a PUT.' },
  { step: /members/, path: /^data$/, reason: 'Members of a PUT count.' },
  { step: /members/, path: /^$/, polis: undefined, reason: 'The group has another name.' },
  { step: /users$/, path: /^data$/, reason: 'Follows from the uniqueness of `userName`.' },
  { step: /groups$/, path: /^data$/, reason: 'Follows from the uniqueness of names of groups.' },

  // Directories
  { path: /scim\.secret$/, reason: 'Secrets are random; Rollcall’s have 24 bytes.' },
  { path: /scim\.endpoint$/, polis: undefined, rollcall: '', reason: 'A Google directory has the same fields as others.' },
  {
    path: /google_(domain|admin_email|groups|org_units|authorization|authorization_error)$/,
    polis: undefined,
    reason: 'More options of Google directories.',
  },
  { path: /webhook\.(endpoint|secret)$/, polis: '', reason: 'A webhook is kept even without its other half; a missing secret is created.' },
  { on: 'http', path: /^data\.(warnings|(\d+\.)?health)$/, polis: undefined, reason: 'Rollcall reports more of a directory.' },
  { step: /colon/, path: /^error\.message$/, reason: 'Messages of invalid fields are Rollcall’s.' },
  { on: 'http', path: /^error\.message$/, reason: 'Over HTTP messages are Rollcall’s; the numeric code is the same.' },
  { step: /update an unknown one/, path: /^error\.(message|code)$/, reason: 'Polis fails with 500.' },
  { on: 'http', step: /deleted/, path: /^data$/, polis: null, rollcall: {}, reason: 'So does the HTTP API of Polis.' },
  { on: 'http', step: /deleted again/, path: /^error$/, rollcall: null, reason: 'So does the HTTP API of Polis.' },

  // Calls of the library
  { step: /writes.*deletion of no/, path: /^error\.code$/, polis: 500, rollcall: 404, reason: 'Polis fails with 500.' },
  { step: /the update of nobody/, path: /^(data|error)$/, reason: 'Polis creates a user without an index, which no list has.' },
  { step: /writes.*: nobody/, path: /^data$/, rollcall: [], reason: 'In Polis what `update` created stays.' },
  { on: 'http', step: /unknown tenant/, path: /^(data|error)$/, reason: 'So does the HTTP API of Polis: 404.' },
  { on: 'http', step: /members of an unknown group/, path: /^(data|error)$/, reason: 'A group that does not exist is an error over HTTP.' },
];
