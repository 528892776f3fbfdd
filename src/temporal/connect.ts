import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, TransportError, type NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../config.ts';
import { AppError, StartupError } from '../errors.ts';
import { type Client, ServiceError, isGrpcServiceError } from '@temporalio/client';
import { waitAtMost } from '../shared/timeout.ts';

export type TemporalAccess = Pick<Config['temporal'], 'namespace' | 'apiKey' | 'tls'> & { address: string };

/** Retries for a while: a server that has just opened its port is not ready yet, and in a cluster this process may start first. */
export async function connectTemporal(access: TemporalAccess, timeoutMs = 30_000): Promise<NativeConnection> {
  const options = await toConnectionOptions(access);
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await NativeConnection.connect(options);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      if (Date.now() > deadlineMs)
        throw new StartupError(`Temporal does not respond at ${access.address}: start it, or correct TEMPORAL_ADDRESS.`, { cause: error });
      await sleep(100);
    }
  }
}

export async function disconnectTemporal(connection: NativeConnection): Promise<void> {
  await connection.close();
  // While it is enabled, it slows down each promise of the process, which may live on if it embeds Rollcall.
  connection.callContextStorage.disable();
}

async function toConnectionOptions({ address, apiKey, tls }: TemporalAccess): Promise<NativeConnectionOptions> {
  if (!tls) return { address };
  const { caFile, certFile, keyFile, serverName } = tls;
  return {
    address,
    ...(apiKey && { apiKey }),
    tls: {
      ...(serverName && { serverNameOverride: serverName }),
      ...(caFile && { serverRootCACertificate: await read('TEMPORAL_TLS_CA_FILE', caFile) }),
      ...(certFile &&
        keyFile && {
          clientCertPair: { crt: await read('TEMPORAL_TLS_CERT_FILE', certFile), key: await read('TEMPORAL_TLS_KEY_FILE', keyFile) },
        }),
    },
  };
}

async function read(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new StartupError(`${variable}: ${file} can't be read.`, { cause: error });
  }
}

/** INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: the request itself is wrong, so trying it again does not help. */
const permanentCodes = new Set([3, 7, 12, 16]);

export function isOutage(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return !(isGrpcServiceError(error.cause) && permanentCodes.has(error.cause.code));
}

export function toUnavailableError(error: unknown): unknown {
  return isOutage(error) ? unavailable(error) : error;
}

export const unavailable = (cause?: unknown) =>
  new AppError('unavailable', 'The workflow service does not respond; try again.', { ...(cause !== undefined && { cause }) });

const reachableTimeoutMs = 2_000;

/** Called before a request that a person waits for: while Temporal is down, the SDK retries for longer than that. */
export async function assertReachable(client: Client): Promise<void> {
  const isReachable = await waitAtMost(reachableTimeoutMs, client.workflowService.getSystemInfo({})).catch(() => false);
  if (!isReachable) throw unavailable();
}

/** How soon a Temporal that responds again is noticed. */
const askAgainMs = 500;

/**
 * Waits until Temporal responds, or until `signal` aborts. An activity that ends while Temporal is away for longer than ten seconds loses its
 * result: the SDK gives up, and the workflow waits for the activity's heartbeat timeout.
 */
export async function untilReachable(client: Client, signal: AbortSignal): Promise<void> {
  for (;;) {
    const isReachable = await assertReachable(client).then(
      () => true,
      () => false,
    );
    if (isReachable || signal.aborted) return;
    await sleep(askAgainMs, undefined, { signal }).catch(() => undefined);
  }
}
