import { setImmediate } from 'node:timers/promises';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { BulkOperation as BulkStep, Mutation, Outcome } from '../../directory/mutation.ts';
import type { Intake } from '../../directory/ports.ts';
import { readChange } from '../../directory/read-change.ts';
import { isId, newId } from '../../ids.ts';
import { createPause } from '../../shared/pause.ts';
import { toBulkResponse, type BulkResult, type DescribedOperation } from '../../scim/bulk/bulk-response.ts';
import type { BulkOperation, BulkRequest } from '../../scim/bulk/operation.ts';
import { readBulk } from '../../scim/bulk/read-bulk.ts';
import { createBudget, type Budget, type BudgetLimits } from '../../scim/budget.ts';
import { notFound, OverBudgetError, ScimError, type ScimRefusal } from '../../scim/errors.ts';
import type { ResponseMemory } from '../../store/response-memory.ts';
import type { ScimState } from '../authenticate-directory.ts';
import type { BodyLimits } from '../body-limits.ts';
import { endBodyTurn } from '../body-turns.ts';
import { callerOf } from '../caller-left.ts';
import { readJson } from '../read-json.ts';
import { answerScim } from '../scim-dialect.ts';
import { scimBase } from '../scim-presenters.ts';

export interface ScimBulkRoutesDeps {
  intake: Intake;
  baseUrl(): string;
  bodies: BodyLimits;
  /** What one mutation may cost. */
  mutationLimits: BudgetLimits;
  responseMemory: Pick<ResponseMemory, 'read'>;
}

const smallResponseBytes = 32_768;
/** Counted for a larger one until its results are known: what waits for its commit is not to keep others from reading. */
const expectedBytes = 16_384;

/** Many changes in one request, one mutation and one transaction (RFC 7644, section 3.7). */
export function scimBulkRoutes({ intake, baseUrl, bodies, mutationLimits, responseMemory }: ScimBulkRoutesDeps): Router<ScimState> {
  const router = new Router<ScimState>();
  router.post('/api/scim/v2.0/:directory/Bulk', async (ctx) => {
    const { directoryId } = ctx.state;
    const { mutation, operations } = await readMutation(ctx);
    const load = async () => toResults(operations, await apply(ctx, mutation));
    const isSmall = weigh(operations.map((operation) => ({ operation }))) <= smallResponseBytes;
    const results = isSmall ? await load() : await readLarge(ctx, load);
    await answerScim(ctx, toBulkResponse(scimBase(baseUrl(), directoryId), results));
  });
  return router;

  /** There is room for the response before anything is committed. Meanwhile others have their turn to send a body. */
  function readLarge(ctx: Context & { state: ScimState }, load: () => Promise<BulkResult[]>): Promise<BulkResult[]> {
    endBodyTurn(ctx);
    const loadInTurn = async () => {
      // All that waited for the same room would be submitted without a pause otherwise.
      await setImmediate();
      return load();
    };
    return responseMemory.read(ctx.state.directoryId, expectedBytes, loadInTurn, weigh);
  }

  async function apply(ctx: Context, mutation: Mutation & { kind: 'bulk' }): Promise<Pick<Outcome, 'results' | 'tried'>> {
    const { operations, failOnErrors } = mutation;
    // Nothing is left to be applied or stored.
    if (!operations.some((operation) => 'change' in operation)) {
      endBodyTurn(ctx);
      return { ...(failOnErrors !== undefined && { tried: failOnErrors }) };
    }
    const submitted = intake.submit(mutation, callerOf(ctx));
    endBodyTurn(ctx);
    const outcome = await submitted;
    if (outcome.refusal) throw new ScimError(outcome.refusal);
    return outcome;
  }

  /** Gives only what is needed while the mutation waits: a frame that waits keeps all that it has, and the body would be held twice. */
  async function readMutation(
    ctx: Context & { state: ScimState },
  ): Promise<{ mutation: Mutation & { kind: 'bulk' }; operations: DescribedOperation[] }> {
    const request = readBulk(await readJson(ctx, bodies.bulk), { newId });
    const { failOnErrors } = request;
    const { steps, described } = await toSteps(request, createBudget(mutationLimits));
    return {
      mutation: {
        id: newId(),
        directoryId: ctx.state.directoryId,
        kind: 'bulk',
        operations: steps,
        ...(failOnErrors !== undefined && { failOnErrors }),
      },
      operations: described,
    };
  }
}

/** In the order in which they are to be carried out. One that could not be read still counts as an error in its place. */
async function toSteps(
  { operations, order }: BulkRequest,
  budget: Budget,
): Promise<{ steps: BulkStep[]; described: DescribedOperation[] }> {
  const steps: BulkStep[] = [];
  const described: DescribedOperation[] = [];
  const pause = createPause();
  for (const index of order) {
    const operation = operations[index]!;
    const step = operation.refusal ?? toStep(operation, budget);
    const isReadable = 'change' in step;
    steps.push(isReadable ? step : { index, isUnreadable: true });
    described.push({ ...describe(operation), ...(!isReadable && { refusal: step }) });
    await pause();
  }
  return { steps, described };
}

function toStep(
  { index, dependsOn, method, resourceType, resourceId, ifMatch, data }: BulkOperation,
  budget: Budget,
): Extract<BulkStep, { dependsOn: number[] }> | ScimRefusal {
  try {
    // What is no UUID was never given out as an id.
    if (!isId(resourceId)) throw notFound(`There is no ${resourceType.toLowerCase()} with this id.`);
    const change = readChange({ method, resourceType, resourceId: resourceId.toLowerCase(), ifMatch, body: data, budget });
    return { index, dependsOn, change };
  } catch (error) {
    if (error instanceof ScimError && !(error instanceof OverBudgetError)) return error.refusal;
    throw error;
  }
}

const describe = ({ index, method, bulkId, resourceType, resourceId }: BulkRequest['operations'][number]): DescribedOperation => ({
  index,
  ...(method && { method }),
  ...(bulkId && { bulkId }),
  ...(resourceType && { resourceType }),
  // The response does not repeat what cannot be an id.
  ...(resourceId !== undefined && isId(resourceId) && { resourceId }),
});

/** Of the operations that were tried. `operations` are in the order in which they are carried out. */
function toResults(operations: DescribedOperation[], { results = [], tried = operations.length }: Pick<Outcome, 'results' | 'tried'>) {
  const byIndex = new Map(results.map((result) => [result.index, result]));
  return operations.slice(0, tried).flatMap((operation): BulkResult[] => {
    const { refusal, version, resourceId } = byIndex.get(operation.index) ?? {};
    if (operation.refusal === undefined && resourceId === undefined) return [];
    return [{ operation, ...(refusal && { refusal }), ...(version !== undefined && { version }) }];
  });
}

/** What is bounded takes about 400 bytes: ids, status, version, address. */
const weigh = (results: BulkResult[]): number =>
  results.reduce(
    (bytes, { operation, refusal = operation.refusal }) =>
      bytes + 400 + 2 * ((refusal?.detail.length ?? 0) + (operation.bulkId?.length ?? 0)),
    0,
  );
