import Router from '@koa/router';
import type { Context } from 'koa';
import type { Change, Outcome } from '../../directory/mutation.ts';
import type { Intake } from '../../directory/ports.ts';
import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { readChange, type ChangeRequest } from '../../directory/read-change.ts';
import { createBudget, type BudgetLimits } from '../../scim/budget.ts';
import { notFound, ScimError } from '../../scim/errors.ts';
import { readListRequest, readSearchRequest, type ListRequest } from '../../scim/list-request.ts';
import { matchesVersion, readVersions, toETag, type Versions } from '../../scim/preconditions.ts';
import { readProjection, type Projection } from '../../scim/projection.ts';
import type { ResourceType } from '../../scim/schema/attribute.ts';
import { groupType, userType } from '../../scim/schema/resource-types.ts';
import { newUser } from '../../scim/user.ts';
import type { ScimState } from '../authenticate-directory.ts';
import type { BodyLimits } from '../body-limits.ts';
import { endBodyTurn } from '../body-turns.ts';
import { callerOf, signalOf, throwIfLeft } from '../caller-left.ts';
import { projectResource } from '../project-resource.ts';
import { readJson } from '../read-json.ts';
import { answerScim } from '../scim-dialect.ts';
import { presentUser, scimBase, type ScimResource } from '../scim-presenters.ts';
import type { ScimLists } from '../scim-lists.ts';
import type { ScimReader } from '../scim-reader.ts';

export interface ScimResourceRoutesDeps {
  intake: Intake;
  reader: ScimReader;
  lists: ScimLists;
  baseUrl(): string;
  bodies: BodyLimits;
  /** What one mutation may cost. */
  mutationLimits: BudgetLimits;
}

type ScimContext = Context & { state: ScimState; params: Record<string, string> };

const root = '/api/scim/v2.0/:directory';

/** Users and groups alike: what differs between them stands in their types and in the domain. */
export function scimResourceRoutes(deps: ScimResourceRoutesDeps): Router<ScimState> {
  const router = new Router<ScimState>();
  router.post(`${root}/.search`, async (ctx) => {
    const body = await readJson(ctx, deps.bodies.search);
    const requests = [userType, groupType].map((type) => ({ ...readSearchRequest(body, type), type }));
    await answerScim(ctx, await deps.lists.list(askedIn(ctx), requests));
  });
  addRoutes(router, userType, deps);
  addRoutes(router, groupType, deps);
  return router;
}

function addRoutes(
  router: Router<ScimState>,
  type: ResourceType,
  { intake, reader, lists, baseUrl, bodies, mutationLimits }: ScimResourceRoutesDeps,
) {
  const all = `${root}${type.endpoint}`;
  const one = `${all}/:id`;
  const limitOfChanges = () => (type.name === 'User' ? bodies.user : bodies.group);
  const newBudget = () => createBudget(mutationLimits);

  router.post(`${all}/.search`, async (ctx) => {
    await answerList(ctx, readSearchRequest(await readJson(ctx, bodies.search), type));
  });

  router.post(all, async (ctx) => {
    const projection = readProjection(ctx.query, type);
    const change = readChange({
      method: 'POST',
      resourceType: type.name,
      resourceId: newId(),
      body: await readJson(ctx, limitOfChanges()),
      budget: newBudget(),
    });
    const outcome = await commit(ctx, change);
    const made = present(ctx, change, outcome) ?? (await read(ctx, outcome.resourceId, projection));
    ctx.set('Location', made.meta.location);
    await answer(ctx, made, projection, 201);
  });

  router.get(all, async (ctx) => answerList(ctx, readListRequest(ctx.query, type)));

  router.get(one, async (ctx) => {
    const projection = readProjection(ctx.query, type);
    const resource = await read(ctx, readId(ctx), projection);
    ctx.set('Location', resource.meta.location);
    await answer(ctx, resource, projection);
    if (isKnown(resource, readVersions(ctx.get('if-none-match')))) ctx.status = 304;
  });

  router.put(one, async (ctx) => {
    const projection = readProjection(ctx.query, type);
    await answerChanged(ctx, await commit(ctx, await changeOf(ctx, 'PUT')), projection);
  });

  router.patch(one, async (ctx) => {
    const projection = readProjection(ctx.query, type);
    const outcome = await commit(ctx, await changeOf(ctx, 'PATCH'));
    const wantsBody = type.name === 'User' || ctx.query['attributes'] !== undefined || ctx.query['excludedAttributes'] !== undefined;
    // A group may have a hundred thousand members, and who changed one of them does not want to read the others.
    return wantsBody ? answerChanged(ctx, outcome, projection) : answerVersion(ctx, outcome);
  });

  router.delete(one, async (ctx) => {
    await commit(ctx, await changeOf(ctx, 'DELETE'));
    ctx.status = 204;
  });

  async function changeOf(ctx: ScimContext, method: ChangeRequest['method']): Promise<Change> {
    const resourceId = readId(ctx);
    const ifMatch = readVersions(ctx.get('if-match'));
    const body = method === 'DELETE' ? undefined : await readJson(ctx, limitOfChanges());
    return readChange({ method, resourceType: type.name, resourceId, ifMatch, body, budget: newBudget() });
  }

  async function commit(ctx: ScimContext, change: Change): Promise<Outcome> {
    const submitted = intake.submit({ id: newId(), directoryId: ctx.state.directoryId, ...change }, callerOf(ctx));
    endBodyTurn(ctx);
    const outcome = await submitted;
    if (outcome.refusal) throw new ScimError(outcome.refusal);
    return outcome;
  }

  /** A new user that nobody waited for is as it was sent: it need not be read. */
  function present(ctx: ScimContext, change: Change, { resourceId: id, version, at, awaited }: Outcome): ScimResource | undefined {
    if (change.kind !== 'createUser' || awaited) return undefined;
    const { userName, externalId, active, resource } = newUser(change.resource);
    const made = new Date(at!);
    const user = { id, userName, externalId, active, resource, version: version!, createdAt: made, updatedAt: made };
    return presentUser(scimBase(baseUrl(), ctx.state.directoryId), user);
  }

  /** What was changed is not answered with 413: where the resource is too large for a response, its version is the response. */
  async function answerChanged(ctx: ScimContext, outcome: Outcome, projection: Projection) {
    try {
      await answer(ctx, await readChanged(ctx, outcome, projection), projection);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'payload_too_large')) throw error;
      answerVersion(ctx, outcome);
    }
  }

  const readChanged = async (ctx: ScimContext, { user }: Outcome, projection: Projection): Promise<ScimResource> =>
    user ? presentUser(scimBase(baseUrl(), ctx.state.directoryId), user) : read(ctx, readId(ctx), projection);

  async function read(ctx: ScimContext, id: string, projection: Projection): Promise<ScimResource> {
    const resource = await reader.find(type.name, ctx.state.directoryId, id, { projection, signal: () => signalOf(ctx) });
    if (!resource) throw unknown();
    return resource;
  }

  async function answer(ctx: ScimContext, resource: ScimResource, projection: Projection, status = 200) {
    throwIfLeft(ctx);
    ctx.set('ETag', resource.meta.version);
    const projected = projectResource(resource, { projection, type, check: () => throwIfLeft(ctx) });
    await answerScim(ctx, projected instanceof Promise ? await projected : projected, status);
  }

  async function answerList(ctx: ScimContext, request: ListRequest) {
    await answerScim(ctx, await lists.list(askedIn(ctx), [{ ...request, type }]));
  }

  /** What is no UUID was never given out as an id. */
  function readId(ctx: ScimContext): string {
    const id = ctx.params['id'] ?? '';
    if (!isId(id)) throw unknown();
    return id.toLowerCase();
  }

  function unknown() {
    return notFound(`There is no ${type.name.toLowerCase()} with this id.`);
  }
}

function answerVersion(ctx: ScimContext, { version }: Outcome) {
  ctx.set('ETag', toETag(version!));
  ctx.status = 204;
}

const askedIn = (ctx: ScimContext) => ({ directoryId: ctx.state.directoryId, signal: () => signalOf(ctx) });

/** Not Koa's own comparison: it gives way to `Cache-Control: no-cache`, which fetch adds by itself. */
function isKnown({ meta }: ScimResource, known: Versions | undefined): boolean {
  if (known === undefined) return false;
  const current = readVersions(meta.version);
  return Array.isArray(current) && current.some((version) => matchesVersion(known, version));
}
