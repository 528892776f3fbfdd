import Router from '@koa/router';
import type { BulkOperation as BulkStep, Result } from '../../directory/mutation.ts';
import type { Intake } from '../../directory/ports.ts';
import { readChange } from '../../directory/read-change.ts';
import { isId, newId } from '../../ids.ts';
import { toBulkResponse, type BulkResult } from '../../scim/bulk/bulk-response.ts';
import type { BulkOperation, BulkRequest } from '../../scim/bulk/operation.ts';
import { readBulk } from '../../scim/bulk/read-bulk.ts';
import { notFound, ScimError } from '../../scim/errors.ts';
import type { ScimState } from '../authenticate-directory.ts';
import { readJson } from '../read-json.ts';
import { answerScim } from '../scim-dialect.ts';
import { scimBase } from '../scim-presenters.ts';

export interface ScimBulkRoutesDeps {
  intake: Intake;
  baseUrl(): string;
  maxBodyBytes: number;
}

/** Many changes in one request, one mutation and one transaction (RFC 7644, section 3.7). */
export function scimBulkRoutes({ intake, baseUrl, maxBodyBytes }: ScimBulkRoutesDeps): Router<ScimState> {
  const router = new Router<ScimState>();
  router.post('/api/scim/v2.0/:directory/Bulk', async (ctx) => {
    const { directoryId } = ctx.state;
    const request = readBulk(await readJson(ctx, maxBodyBytes), { newId });
    const { failOnErrors } = request;
    const outcome = await intake.submit({
      id: newId(),
      directoryId,
      kind: 'bulk',
      operations: toSteps(request),
      ...(failOnErrors !== undefined && { failOnErrors }),
    });
    if (outcome.refusal) throw new ScimError(outcome.refusal);
    answerScim(ctx, toBulkResponse(scimBase(baseUrl(), directoryId), toResults(request, outcome.results ?? [])));
  });
  return router;
}

/** In the order in which they are to be carried out. One that is refused already still counts as an error in its place. */
const toSteps = ({ operations, order }: BulkRequest): BulkStep[] =>
  order.map((index) => {
    const operation = operations[index]!;
    return operation.refusal ? { index, dependsOn: [], refusal: operation.refusal } : toStep(operation);
  });

function toStep({ index, dependsOn, method, resourceType, resourceId, ifMatch, data }: BulkOperation): BulkStep {
  try {
    // What is no UUID was never given out as an id.
    if (!isId(resourceId)) throw notFound(`There is no ${resourceType.toLowerCase()} with this id.`);
    return { index, dependsOn, change: readChange({ method, resourceType, resourceId: resourceId.toLowerCase(), ifMatch, body: data }) };
  } catch (error) {
    if (error instanceof ScimError) return { index, dependsOn, refusal: error.refusal };
    throw error;
  }
}

const toResults = ({ operations }: BulkRequest, results: (Result & { index: number })[]): BulkResult[] =>
  results.map(({ index, refusal, version }) => ({
    operation: operations[index]!,
    ...(refusal && { refusal }),
    ...(version !== undefined && { version }),
  }));
