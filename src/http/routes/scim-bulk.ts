import Router from '@koa/router';
import type { Context } from 'koa';
import type { BulkOperation as BulkStep, Mutation, Result } from '../../directory/mutation.ts';
import type { Intake } from '../../directory/ports.ts';
import { readChange } from '../../directory/read-change.ts';
import { isId, newId } from '../../ids.ts';
import { createPause } from '../../pause.ts';
import { toBulkResponse, type BulkResult, type DescribedOperation } from '../../scim/bulk/bulk-response.ts';
import type { BulkOperation, BulkRequest } from '../../scim/bulk/operation.ts';
import { readBulk } from '../../scim/bulk/read-bulk.ts';
import { createBudget, type Budget, type BudgetLimits } from '../../scim/budget.ts';
import { notFound, OverBudgetError, ScimError } from '../../scim/errors.ts';
import type { ScimState } from '../authenticate-directory.ts';
import type { BodyLimits } from '../body-limits.ts';
import { endBodyTurn } from '../body-turns.ts';
import { signalOf } from '../caller-left.ts';
import { readJson } from '../read-json.ts';
import { answerScim } from '../scim-dialect.ts';
import { scimBase } from '../scim-presenters.ts';

export interface ScimBulkRoutesDeps {
  intake: Intake;
  baseUrl(): string;
  bodies: BodyLimits;
  /** What one mutation may cost. */
  mutationLimits: BudgetLimits;
}

/** Many changes in one request, one mutation and one transaction (RFC 7644, section 3.7). */
export function scimBulkRoutes({ intake, baseUrl, bodies, mutationLimits }: ScimBulkRoutesDeps): Router<ScimState> {
  const router = new Router<ScimState>();
  router.post('/api/scim/v2.0/:directory/Bulk', async (ctx) => {
    const { directoryId } = ctx.state;
    const { mutation, operations } = await readMutation(ctx);
    const submitted = intake.submit(mutation, signalOf(ctx));
    endBodyTurn(ctx);
    const outcome = await submitted;
    if (outcome.refusal) throw new ScimError(outcome.refusal);
    await answerScim(ctx, toBulkResponse(scimBase(baseUrl(), directoryId), toResults(operations, outcome.results ?? [])));
  });
  return router;

  /** Gives only what is needed while the mutation waits: a frame that waits keeps all that it has, and the body would be held twice. */
  async function readMutation(ctx: Context & { state: ScimState }): Promise<{ mutation: Mutation; operations: DescribedOperation[] }> {
    const request = readBulk(await readJson(ctx, bodies.bulk), { newId });
    const { failOnErrors } = request;
    const operations = await toSteps(request, createBudget(mutationLimits));
    return {
      mutation: {
        id: newId(),
        directoryId: ctx.state.directoryId,
        kind: 'bulk',
        operations,
        ...(failOnErrors !== undefined && { failOnErrors }),
      },
      operations: request.operations.map(describe),
    };
  }
}

/** In the order in which they are to be carried out. One that is refused already still counts as an error in its place. */
async function toSteps({ operations, order }: BulkRequest, budget: Budget): Promise<BulkStep[]> {
  const steps: BulkStep[] = [];
  const pause = createPause();
  for (const index of order) {
    const operation = operations[index]!;
    steps.push(operation.refusal ? { index, dependsOn: [], refusal: operation.refusal } : toStep(operation, budget));
    await pause();
  }
  return steps;
}

function toStep({ index, dependsOn, method, resourceType, resourceId, ifMatch, data }: BulkOperation, budget: Budget): BulkStep {
  try {
    // What is no UUID was never given out as an id.
    if (!isId(resourceId)) throw notFound(`There is no ${resourceType.toLowerCase()} with this id.`);
    const change = readChange({ method, resourceType, resourceId: resourceId.toLowerCase(), ifMatch, body: data, budget });
    return { index, dependsOn, change };
  } catch (error) {
    if (error instanceof ScimError && !(error instanceof OverBudgetError)) return { index, dependsOn, refusal: error.refusal };
    throw error;
  }
}

const describe = ({ index, method, bulkId, resourceType, resourceId, refusal }: BulkRequest['operations'][number]): DescribedOperation => ({
  index,
  ...(method && { method }),
  ...(bulkId && { bulkId }),
  ...(resourceType && { resourceType }),
  ...(resourceId !== undefined && { resourceId }),
  ...(refusal && { refusal }),
});

const toResults = (operations: DescribedOperation[], results: (Result & { index: number })[]): BulkResult[] =>
  results.map(({ index, refusal, version }) => ({
    operation: operations[index]!,
    ...(refusal && { refusal }),
    ...(version !== undefined && { version }),
  }));
