import { createBodiesInFlight, type BodiesInFlight } from './bodies-in-flight.ts';
import { createBodyScheduler, type BodyScheduler } from './body-scheduler.ts';

/** The limits of a request body. */
export interface BodyLimit {
  maxBytes: number;
  /** The setting of the limit, for the error message. */
  setting?: string;
  maxValues: number;
  valuesSetting?: string;
  inFlight?: BodiesInFlight;
  scheduler?: BodyScheduler;
}

export interface BodyLimits {
  /** A Bulk request. */
  bulk: BodyLimit;
  user: BodyLimit;
  /** A group with its members. */
  group: BodyLimit;
  search: BodyLimit;
}

export interface BodySettings {
  maxBodyBytes: number;
  maxResourceBodyBytes: number;
  maxBodyValues: number;
  maxBodiesBytes: number;
}

/** A user of 1 MiB, with every character escaped. */
const maxUserBytes = 2_097_152;
const maxSearchBytes = 65_536;
/** Requests to the JSON API contain only a few settings. */
const maxApiBodyBytes = 65_536;
const valuesOfSmall = 10_000;

/** Created once per process: bodies in flight are counted together. */
export function createBodyLimits({
  maxBodyBytes,
  maxResourceBodyBytes,
  maxBodyValues: maxValues,
  maxBodiesBytes,
}: BodySettings): BodyLimits {
  const shared = {
    maxValues,
    valuesSetting: 'MAX_BODY_VALUES',
    inFlight: createBodiesInFlight({ maxBytes: maxBodiesBytes }),
    scheduler: createBodyScheduler(),
  };
  const maxResource = Math.min(maxBodyBytes, maxResourceBodyBytes);
  const resource = { ...shared, setting: maxResource < maxBodyBytes ? 'MAX_RESOURCE_BODY_BYTES' : 'MAX_BODY_BYTES' };
  return {
    bulk: { maxBytes: maxBodyBytes, setting: 'MAX_BODY_BYTES', ...shared },
    group: { ...resource, maxBytes: maxResource },
    user: maxResource <= maxUserBytes ? { ...resource, maxBytes: maxResource } : { maxBytes: maxUserBytes, ...shared },
    search: { maxBytes: Math.min(maxBodyBytes, maxSearchBytes), maxValues: valuesOfSmall },
  };
}

export const ofApi = (maxBytes: number): BodyLimit => ({ maxBytes: Math.min(maxBytes, maxApiBodyBytes), maxValues: valuesOfSmall });
