import Router from '@koa/router';
import type { Mutation, Outcome } from '../../directory/mutation.ts';
import type { Intake, UserStore } from '../../directory/ports.ts';
import { isId, newId } from '../../ids.ts';
import { notFound, ScimError } from '../../scim/errors.ts';
import { readUserFilter } from '../../scim/filter.ts';
import { readIndexPage, toListResponse } from '../../scim/list.ts';
import { readUser } from '../../scim/user.ts';
import type { ScimState } from '../authenticate-directory.ts';
import { presentScimUser } from '../presenters.ts';
import { readJson } from '../read-json.ts';
import { answerScim } from '../scim-dialect.ts';

export interface ScimUserRoutesDeps {
  intake: Intake;
  users: UserStore;
  baseUrl(): string;
  maxBodyBytes: number;
}

const all = '/api/scim/v2.0/:directory/Users';
const one = `${all}/:id`;

export function scimUserRoutes({ intake, users, baseUrl, maxBodyBytes }: ScimUserRoutesDeps): Router<ScimState> {
  const router = new Router<ScimState>();

  router.post(all, async (ctx) => {
    const { directoryId } = ctx.state;
    const user = readUser(await readJson(ctx, maxBodyBytes));
    const { resourceId, version, at } = await commit({ kind: 'createUser', id: newId(), directoryId, userId: newId(), user });
    const made = new Date(at!);
    const body = presentScimUser(
      directoryId,
      { id: resourceId, resource: user.resource, version: version!, createdAt: made, updatedAt: made },
      baseUrl(),
    );
    ctx.set('Location', body.meta.location);
    ctx.set('ETag', body.meta.version);
    answerScim(ctx, body, 201);
  });

  router.get(all, async (ctx) => {
    const { directoryId } = ctx.state;
    const { startIndex, count } = readIndexPage(ctx.query);
    const found = await users.list(directoryId, { ...readUserFilter(ctx.query['filter']), offset: startIndex - 1, limit: count });
    const resources = found.users.map((user) => presentScimUser(directoryId, user, baseUrl()));
    answerScim(ctx, toListResponse(resources, { total: found.total, startIndex }));
  });

  router.get(one, async (ctx) => {
    const { directoryId } = ctx.state;
    const id = readId(ctx.params);
    const user = await users.get(directoryId, id);
    if (!user) throw notFound('There is no user with this id.');
    const body = presentScimUser(directoryId, user, baseUrl());
    ctx.set('Location', body.meta.location);
    ctx.set('ETag', body.meta.version);
    answerScim(ctx, body);
  });

  router.delete(one, async (ctx) => {
    await commit({ kind: 'deleteUser', id: newId(), directoryId: ctx.state.directoryId, userId: readId(ctx.params) });
    ctx.status = 204;
  });

  return router;

  async function commit(mutation: Mutation): Promise<Outcome> {
    const outcome = await intake.submit(mutation);
    if (outcome.refusal) throw new ScimError(outcome.refusal);
    return outcome;
  }
}

/** What is no UUID was never given out as an id. */
function readId(params: Record<string, string | undefined>): string {
  const id = params['id'] ?? '';
  if (!isId(id)) throw notFound('There is no user with this id.');
  return id.toLowerCase();
}
