import { z } from 'zod';
import { ProviderError } from '../../directory/sync/provider.ts';
import { assertNoDeltaLink } from './directory-source.ts';
import { type Graph, undocumented } from './graph.ts';
import { partialSchema } from './records.ts';
import type { Selection } from './selected-source.ts';

const assignmentSchema = z.looseObject({ principalId: z.string().regex(/^[\w-]{1,100}$/), principalType: z.string() });

/** With 999 in a page, ten times as many as a directory may have users. */
const maxPages = 1_000;

/** Reads who is assigned to the enterprise application. Sorted, because page tokens depend on the order. */
export async function readAssignments(graph: Graph, clientId: string, signal: AbortSignal): Promise<Selection> {
  const found = await graph.readPage(`/servicePrincipals?$filter=appId eq '${encodeURIComponent(clientId)}'&$select=id`, signal);
  const principal = partialSchema.safeParse(found.value[0]);
  if (!principal.success)
    throw new ProviderError(
      'unauthorized',
      'The application does not exist in this tenant: its consent is missing or was revoked. Authorize again.',
    );
  const [groups, users] = [new Set<string>(), new Set<string>()];
  let next: string | undefined = `/servicePrincipals/${principal.data.id}/appRoleAssignedTo?$top=999`;
  for (let pages = 0; next !== undefined; pages += 1) {
    if (pages === maxPages) throw undocumented('a list of assignments without an end');
    const { value, nextLink } = assertNoDeltaLink(await graph.readPage(next, signal));
    for (const one of value) {
      const read = assignmentSchema.safeParse(one);
      if (!read.success) throw undocumented('an assignment');
      const { principalId, principalType } = read.data;
      if (principalType === 'Group') groups.add(principalId);
      if (principalType === 'User') users.add(principalId);
    }
    if (nextLink === next) throw undocumented('a link to the same page');
    next = nextLink;
  }
  return { groups: [...groups].sort(), users: [...users].sort() };
}
