import { z } from 'zod';
import { isExempt } from './request.ts';
import { isPathPattern } from './path-pattern.ts';

export const whole = z.int('must be a whole number above 0').min(1, 'must be a whole number above 0');
const name = z.string('must be a name').regex(/^[a-z\d-]{1,60}$/, 'must be small letters, digits and -');
const limit = z.strictObject({ rps: whole, rpm: whole }, 'must have rps and rpm');
const action = z.enum(['enforce', 'report'], 'must be enforce or report').default('enforce');
const methods = z
  .array(
    z
      .string('must be a method')
      .regex(/^[A-Z]+$/, 'must be a method in capitals')
      .refine((method) => !isExempt(method), 'is exempt from these limits'),
    'must be a list of methods',
  )
  .min(1, 'must not be empty');
/** The method is in `methods`. */
const path = z.string('must be a path').refine((text) => isPathPattern(text) && !text.includes(' '), 'must be a path like /scim/** or *');
const network = z.union([z.cidrv4(), z.cidrv6()], 'must be a network like 192.0.2.0/24');

export const volumetricRule = z.strictObject({
  name,
  /** What is counted together: requests from one address or with one TLS fingerprint. */
  by: z.enum(['address', 'fingerprint'], 'must be address or fingerprint').default('address'),
  methods: methods.optional(),
  paths: z.array(path, 'must be a list of paths').optional(),
  authenticated: z.boolean('must be true or false').optional(),
  sources: z.array(network, 'must be a list of networks').optional(),
  limit,
  /** Applies to addresses and fingerprints on a project's whitelist (plans Growth and Enterprise). */
  whitelisted: limit.optional(),
  action,
});

export const inflightRule = z.strictObject({
  name,
  methods,
  path,
  /** `subject`: a recovery request for one account, by e-mail address or flow, does not block others. */
  by: z.enum(['path', 'subject'], 'must be path or subject').default('path'),
  action,
});

export type VolumetricRule = z.output<typeof volumetricRule>;
export type InflightRule = z.output<typeof inflightRule>;

export interface Rules {
  /** Headers with the TLS fingerprint of a client; the first one present counts. */
  fingerprint_headers: string[];
  volumetric: VolumetricRule[];
  inflight: InflightRule[];
  lease_seconds: number;
}
