import { z } from 'zod';
import { toDirectoryKey } from '../../directory/directories/former-ids.ts';
import { maxGroupNameLength, maxRoleLength } from '../../directory/roles/role-table.ts';
import { field, text } from '../api/schema-fields.ts';
import { assertConsistent, type Operation } from '../operation.ts';
import { linkDirectoryParams } from './api-operations.ts';
import { linkOf } from './authenticate-setup-link.ts';
import { pageErrors, pageOperation, readFields, redirect, viewOf } from './page-request.ts';
import { sendSetupPage } from './render.ts';
import { renderRolesPage } from './roles-page.ts';

const path = '/setup/{token}/directory-sync/{directoryId}/roles';
const html = { 'text/html': z.string() };
const errors = { ...pageErrors, 403: 'A page says so: the link does not offer this, or the request comes from a page of another site.' };

/** With the prefix that says how the row names its group. In lower case a name can be longer than it was. */
const maxRefLength = 2 * maxGroupNameLength + 10;

const roleForm = z
  .object({
    action: field(z.enum(['give', 'take'], 'must be give or take'), 'What to do.', 'give'),
    group: text
      .max(maxGroupNameLength, `may have at most ${maxGroupNameLength} characters`)
      .default('')
      .meta({ description: 'To give a role: the display name of the group.', examples: ['Engineering'] }),
    role: text
      .max(maxRoleLength, `may have at most ${maxRoleLength} characters`)
      .default('')
      .meta({ description: 'One of those that the link offers.', examples: ['member'] }),
    ref: text
      .max(maxRefLength, `may have at most ${maxRefLength} characters`)
      .default('')
      .meta({ description: 'To take a role: the row, as the page names it.', examples: ['name:engineering'] }),
  })
  .meta({ id: 'SetupRoleForm', description: 'The forms of the page of roles.' });

/** Only a link that offers roles has this page. */
export const setupRolesOperations: Operation[] = [
  {
    ...pageOperation,
    id: 'showSetupRoles',
    method: 'get',
    path,
    params: linkDirectoryParams,
    title: "Show the page of roles of a setup link's directory",
    description: 'Which groups have which role in the application. Only a link with `roles` has this page.',
    responses: { 200: { description: 'The page.', content: html } },
    errors,
    async handle(ctx, deps, { directoryId = '' }) {
      const link = linkOf(ctx);
      const view = viewOf(ctx, deps);
      sendSetupPage(ctx, view, renderRolesPage(view, { link, ...(await deps.setupLinks.getRoles(link, toDirectoryKey(directoryId))) }));
    },
  },
  {
    ...pageOperation,
    id: 'changeSetupRoles',
    method: 'post',
    path,
    params: linkDirectoryParams,
    title: "Give a group of a setup link's directory a role, or take it",
    description: 'Changes one row of the role table. Rows with roles that the link does not offer stay as they are.',
    body: { schema: roleForm },
    responses: { 303: { description: 'Redirects to the page.', headers: ['Location'] } },
    errors,
    audit: ['directory.roles_updated'],
    async handle(ctx, deps, { directoryId = '' }) {
      const [link, id] = [linkOf(ctx), toDirectoryKey(directoryId)];
      const { action, ref, ...given } = await readFields(ctx, roleForm);
      const { directory } = await (action === 'give' ? deps.setupLinks.giveRole(link, id, given) : deps.setupLinks.takeRole(link, id, ref));
      redirect(ctx, deps, directory, '/roles');
    },
  },
];
for (const operation of setupRolesOperations) assertConsistent(operation);
