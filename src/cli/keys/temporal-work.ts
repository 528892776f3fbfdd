import { Client } from '@temporalio/client';
import type { Keyring } from '../../keyring.ts';
import { createCodec } from '../../temporal/codec.ts';
import { connectTemporal, disconnectTemporal, type TemporalAccess } from '../../temporal/connect.ts';
import { type SealedWork, findSealedWork, readWorkflows, renewWork } from '../../temporal/sealed-work.ts';
import { installTemporalRuntime } from '../../temporal/runtime.ts';
import { createLogger } from '../../logger.ts';

export interface TemporalWork {
  /** All open workflows and schedules with encrypted payloads; with `among`, only those of them that are still open. */
  find(onFound?: (count: number) => void, among?: SealedWork[]): Promise<SealedWork[]>;
  renew(work: SealedWork[]): Promise<void>;
  close(): Promise<void>;
}

const connectTimeoutMs = 5_000;

export async function openTemporalWork(access: TemporalAccess, keyring: Keyring): Promise<TemporalWork> {
  installTemporalRuntime(createLogger('silent'));
  const connection = await connectTemporal(access, connectTimeoutMs);
  const { namespace } = access;
  const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [createCodec(keyring)] } });
  const place = { connection, namespace };
  return {
    find: (onFound, among) =>
      among
        ? readWorkflows(
            place,
            among.filter(({ kind }) => kind === 'workflow').map(({ id }) => id),
          )
        : findSealedWork(place, onFound),
    renew: (work) => renewWork({ ...place, client }, work),
    close: () => disconnectTemporal(connection),
  };
}
