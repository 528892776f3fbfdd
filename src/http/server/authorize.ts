import type { Context } from 'koa';
import { isNarrowed } from '../../access/narrowing.ts';
import { AppError } from '../../errors.ts';
import type { HttpDeps } from '../deps.ts';
import type { AuthenticatedState } from './authenticated-state.ts';
import { namesDirectory, type Operation, type PathParams } from '../operation.ts';

type Authorized = Pick<Operation, 'id' | 'path' | 'scope' | 'reach'>;

/** Fails unless the caller may call the operation, with this directory. The body has not been read. Only a narrowed key requires a promise. */
export function authorize(
  ctx: Context,
  deps: Pick<HttpDeps, 'assertReaches'>,
  operation: Authorized,
  params: PathParams,
): void | Promise<void> {
  const { caller } = ctx.state as Partial<AuthenticatedState>;
  const { id, path, scope, reach } = operation;
  if (!caller || scope === undefined) throw new Error(`${id} was called without authentication.`);
  if (!caller.scopes.has(scope))
    throw new AppError('insufficient_scope', `${nameOf(caller)} lacks the scope ${scope}, which this operation requires.`);
  if (!isNarrowed(caller.narrowed)) return;
  if (namesDirectory(path)) return deps.assertReaches(caller, params['directoryId']!);
  if (reach !== 'narrowed')
    throw new AppError(
      'key_narrowed',
      'This operation works for the whole service: it requires an API key that is not narrowed to a tenant, product or directory.',
    );
}

const nameOf = ({ type }: AuthenticatedState['caller']) =>
  (({ person: 'Your role', upload_token: 'This upload token' }) as Partial<Record<typeof type, string>>)[type] ?? 'This API key';
