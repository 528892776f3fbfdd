import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { BulkOperation as BulkStep, Mutation, Outcome } from '../../../directory/changes/mutation.ts';
import { readChange } from '../../../directory/changes/read-change.ts';
import { isPublicId, toResourceKey } from '../../../directory/resources/resource-ids.ts';
import { newId } from '../../../ids.ts';
import { createBudget, type Budget } from '../../../scim/budget.ts';
import { toBulkResponse, type BulkResult, type DescribedOperation } from '../../../scim/bulk/bulk-response.ts';
import type { BulkOperation, BulkRequest } from '../../../scim/bulk/operation.ts';
import { readBulk } from '../../../scim/bulk/read-bulk.ts';
import { notFound, OverBudgetError, ScimError, type ScimErrorDetails } from '../../../scim/errors.ts';
import { createYieldToEventLoop } from '../../../shared/yield-to-event-loop.ts';
import { readJson } from '../../server/body/read-json.ts';
import { noteConcerns } from '../../server/record-requests.ts';
import { type Concern, findInBulk, findMovedInBulk } from '../../../directory/recorded-requests/concerned-users.ts';
import { callerOf } from '../../server/caller-connection.ts';
import { defineScimOperation, directoryParam, scimResponse, scimRoot, type ScimCall } from '../define-scim-operation.ts';
import { scimBase } from '../presenter.ts';
import { bulkRequest, bulkResponseSchema } from '../schemas.ts';
import { toScimError } from '../to-scim-error.ts';
import { releaseBody } from '../../server/body/body-limits.ts';

type BulkMutation = Mutation & { kind: 'bulk' };

const smallResponseBytes = 32_768;
/** Reserved for a larger response until its results are known, so that waiting for the commit does not keep others from reading. */
const expectedBytes = 16_384;

/** Many changes in one request, one mutation and one transaction (RFC 7644, section 3.7). */
export const bulkOperation = defineScimOperation({
  id: 'bulk',
  method: 'post',
  path: `${scimRoot}/Bulk`,
  params: z.object(directoryParam),
  title: 'Make several changes',
  description: 'Makes several changes in one transaction. An operation that fails does not affect the others, unless they depend on it.',
  body: { schema: bulkRequest },
  responses: { 200: scimResponse('The result of each operation.', bulkResponseSchema) },
  handler: async (call) => {
    const { mutation, operations, concerns } = await readMutation(call);
    const load = async () => {
      const outcome = await apply(call, mutation);
      const named = [...concerns.values()];
      if (outcome.moved) noteConcerns(call.ctx, [...named, findMovedInBulk(named, outcome.moved)]);
      return toResults(operations, outcome);
    };
    const isSmall = weigh(operations.map((operation) => ({ operation }))) <= smallResponseBytes;
    const results = isSmall ? await load() : await readLarge(call, load);
    noteResults(concerns, results);
    return toBulkResponse(scimBase(call.deps.baseUrl(), call.ctx.state.directoryId), results);
  },
});

/** There is room for the response before anything is committed. Meanwhile the next body may be read. */
function readLarge({ ctx, deps }: ScimCall, load: () => Promise<BulkResult[]>): Promise<BulkResult[]> {
  releaseBody(ctx);
  const loadAfterPause = async () => {
    // Without a pause, all requests that waited for the same room would be submitted in one go.
    await setImmediate();
    return load();
  };
  return deps.responseMemory.read(ctx.state.directoryId, expectedBytes, loadAfterPause, weigh);
}

async function apply({ ctx, deps }: ScimCall, mutation: BulkMutation): Promise<Pick<Outcome, 'results' | 'attempted' | 'moved'>> {
  const { operations, failOnErrors } = mutation;
  // Nothing is left to apply or store.
  if (!operations.some((operation) => 'change' in operation)) {
    releaseBody(ctx);
    return { ...(failOnErrors !== undefined && { attempted: failOnErrors }) };
  }
  const submitted = deps.intake.submit(mutation, callerOf(ctx));
  releaseBody(ctx);
  const outcome = await submitted;
  if (outcome.error) throw new ScimError(toScimError(outcome.error));
  return outcome;
}

/** Returns only what is needed while the mutation waits: the waiting call keeps all that it refers to, and the body would be held twice. */
async function readMutation({
  ctx,
  deps,
}: ScimCall): Promise<{ mutation: BulkMutation; operations: DescribedOperation[]; concerns: Map<number, Concern> }> {
  deps.intake.assertAccepts(ctx.state.directoryId, { mayRepeat: false });
  const request = readBulk(await readJson(ctx, deps.bodies.bulk), { newId });
  const { failOnErrors } = request;
  const concerns = findInBulk(request.operations);
  noteConcerns(ctx, [...concerns.values()]);
  const { steps, described } = await toSteps(request, createBudget(deps.mutationLimits));
  return {
    mutation: {
      id: newId(),
      directoryId: ctx.state.directoryId,
      kind: 'bulk',
      operations: steps,
      ...(failOnErrors !== undefined && { failOnErrors }),
    },
    operations: described,
    concerns,
  };
}

/** Returns the steps in the order of execution. An operation that is invalid still counts as an error in its place. */
async function toSteps(
  { operations, order }: BulkRequest,
  budget: Budget,
): Promise<{ steps: BulkStep[]; described: DescribedOperation[] }> {
  const steps: BulkStep[] = [];
  const described: DescribedOperation[] = [];
  const pause = createYieldToEventLoop();
  for (const index of order) {
    const operation = operations[index]!;
    const step = operation.error ?? toStep(operation, budget);
    const isReadable = 'change' in step;
    steps.push(isReadable ? step : { index, isInvalid: true });
    described.push({ ...describe(operation), ...(!isReadable && { error: step }) });
    await pause();
  }
  return { steps, described };
}

function toStep(
  { index, dependsOn, method, resourceType, resourceId, ifMatch, data }: BulkOperation,
  budget: Budget,
): Extract<BulkStep, { dependsOn: number[] }> | ScimErrorDetails {
  try {
    if (!isPublicId(resourceId)) throw notFound(`There is no ${resourceType.toLowerCase()} with this ID.`);
    const change = readChange({ method, resourceType, resourceId: toResourceKey(resourceId), ifMatch, body: data, budget });
    return { index, dependsOn, change };
  } catch (error) {
    if (error instanceof ScimError && !(error instanceof OverBudgetError)) return error.details;
    throw error;
  }
}

const describe = ({ index, method, bulkId, resourceType, resourceId }: BulkRequest['operations'][number]): DescribedOperation => ({
  index,
  ...(method && { method }),
  ...(bulkId && { bulkId }),
  ...(resourceType && { resourceType }),
  // The response does not repeat what cannot be an ID.
  ...(resourceId !== undefined && isPublicId(resourceId) && { resourceId }),
});

/** The results of the operations that were tried. `operations` are in the order of execution. */
function toResults(
  operations: DescribedOperation[],
  { results = [], attempted = operations.length }: Pick<Outcome, 'results' | 'attempted'>,
) {
  const byIndex = new Map(results.map((result) => [result.index, result]));
  return operations.slice(0, attempted).flatMap((operation): BulkResult[] => {
    const { error, version, resourceId } = byIndex.get(operation.index) ?? {};
    if (operation.error === undefined && resourceId === undefined) return [];
    return [{ operation, ...(error && { error: toScimError(error) }), ...(version !== undefined && { version }) }];
  });
}

/** An operation that was not tried has the status of the request. */
function noteResults(concerns: Map<number, Concern>, results: BulkResult[]): void {
  for (const { operation, error = operation.error } of results) {
    const concern = concerns.get(operation.index);
    if (concern && error) concern.result = { status: error.status, detail: error.detail };
  }
}

/** IDs, status, version and address take about 400 bytes. */
const weigh = (results: BulkResult[]): number =>
  results.reduce(
    (bytes, { operation, error = operation.error }) => bytes + 400 + 2 * ((error?.detail.length ?? 0) + (operation.bulkId?.length ?? 0)),
    0,
  );
