import type { Change, Outcome } from '../../../directory/changes/mutation.ts';
import { readChange, type ChangeRequest } from '../../../directory/changes/read-change.ts';
import { AppError } from '../../../errors.ts';
import { isPublicId, toResourceKey } from '../../../directory/resources/resource-ids.ts';
import { newId } from '../../../ids.ts';
import { createBudget } from '../../../scim/budget.ts';
import { notFound, ScimError } from '../../../scim/errors.ts';
import type { JsonObject } from '../../../scim/json.ts';
import { readVersions, toETag } from '../../../scim/etag.ts';
import type { Projection } from '../../../scim/projection.ts';
import type { ResourceType } from '../../../scim/schema/attribute.ts';
import { newUser } from '../../../scim/user.ts';
import { readJson } from '../../server/body/read-json.ts';
import { noteConcerns, noteMoved } from '../../server/record-requests.ts';
import { findInBody } from '../../../directory/recorded-requests/concerned-users.ts';
import { callerOf, signalOf, throwIfDisconnected } from '../../server/caller-connection.ts';
import type { ScimCall, ScimContext } from '../define-scim-operation.ts';
import { type ScimResource, presentUser, projectResource, scimBase } from '../presenter.ts';
import { toScimError } from '../to-scim-error.ts';
import { releaseBody, smallBodyBytes } from '../../server/body/body-limits.ts';

/** The directory that is read, and the caller for whom. */
export const callerIn = (ctx: ScimContext) => ({ directoryId: ctx.state.directoryId, signal: () => signalOf(ctx) });

/** What the operations on one type of resource have in common: reading a change, submitting it, and presenting its result. */
export const createResourceCall = (type: ResourceType) =>
  function open({ ctx, deps, params }: ScimCall) {
    const { directoryId } = ctx.state;
    const { intake, reader, bodies, mutationLimits, baseUrl, runUntilAborted } = deps;
    return { key, readBody, commit, presentNew, presentChanged, read, project };

    /** The key of the resource that the path names. */
    function key(): string {
      const id = params['id'] ?? '';
      if (!isPublicId(id)) throw unknown(type);
      return toResourceKey(id);
    }

    async function readBody(method: ChangeRequest['method'], resourceId = key()): Promise<Change> {
      const ifMatch = method === 'POST' ? undefined : readVersions(ctx.get('if-match'));
      const body = method === 'DELETE' ? undefined : await readAccepted(method);
      return readChange({ method, resourceType: type.name, resourceId, ifMatch, body, budget: createBudget(mutationLimits) });
    }

    /** A small body is read in any case if it may be a create that is sent again, which shares the place of the first. */
    async function readAccepted(method: 'POST' | 'PUT' | 'PATCH'): Promise<unknown> {
      intake.assertAccepts(directoryId, { mayRepeat: method === 'POST' && ctx.request.length <= smallBodyBytes });
      const body = await readJson(ctx, type.name === 'User' ? bodies.user : bodies.group);
      noteConcerns(ctx, [findInBody(type.name, method, body)]);
      return body;
    }

    async function commit(change: Change): Promise<Outcome> {
      const submitted = intake.submit({ id: newId(), directoryId, ...change }, callerOf(ctx));
      releaseBody(ctx);
      const outcome = await submitted;
      if (outcome.error) throw new ScimError(toScimError(outcome.error));
      if (type.name === 'Group') noteMoved(ctx, outcome.moved);
      return outcome;
    }

    /** A new user that no group waited for is as it was sent, and need not be read. */
    function presentNew(change: Change, { resourceId, version, at, wasPending }: Outcome): ScimResource | undefined {
      if (change.kind !== 'createUser' || wasPending) return undefined;
      const { userName, externalId, active, resource } = newUser(change.resource);
      const createdAt = new Date(at!);
      const user = { id: resourceId, userName, externalId, active, resource, version: version!, createdAt, updatedAt: createdAt };
      return presentUser(scimBase(baseUrl(), directoryId), user);
    }

    /** A committed change does not fail with 413: where the resource is too large for a response, only its version is returned. */
    async function presentChanged(outcome: Outcome, projection: Projection): Promise<JsonObject | undefined> {
      try {
        const { user } = outcome;
        const resource = user
          ? presentUser(scimBase(baseUrl(), directoryId), user)
          : await runUntilAborted(signalOf(ctx), () => read(key(), projection));
        return await project(resource, projection);
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'payload_too_large')) throw error;
        return respondWithVersion(ctx, outcome);
      }
    }

    async function read(resourceId: string, projection: Projection): Promise<ScimResource> {
      const resource = await reader.find(type.name, directoryId, resourceId, { projection, signal: () => signalOf(ctx) });
      if (!resource) throw unknown(type);
      return resource;
    }

    function project(resource: ScimResource, projection: Projection): Promise<JsonObject> | JsonObject {
      throwIfDisconnected(ctx);
      ctx.set('ETag', resource.meta.version);
      return projectResource(resource, { projection, type, check: () => throwIfDisconnected(ctx) });
    }
  };

const unknown = ({ name }: ResourceType) => notFound(`There is no ${name.toLowerCase()} with this ID.`);

export function respondWithVersion(ctx: ScimContext, { version }: Outcome): undefined {
  ctx.set('ETag', toETag(version!));
  ctx.status = 204;
}
