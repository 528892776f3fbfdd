import { z } from 'zod';
import { positive, readValidatedFile } from './read-validated-file.ts';
import { isExempt } from './request.ts';
import { isPathPattern } from './path-pattern.ts';

const name = z.string('must be a name').regex(/^[a-z\d-]{1,60}$/, 'must be small letters, digits and -');
const limit = z.strictObject({ rps: positive, rpm: positive }, 'must have rps and rpm');
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

const volumetricRule = z.strictObject({
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

const inflightRule = z.strictObject({
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

/**
 * The rules without a rules file. The first layer guards against floods and credential guessing: its limits are above what any plan allows
 * authenticated callers. The second layer is the specification's table.
 */
const defaultRules: Rules = {
  fingerprint_headers: ['x-ja4-fingerprint', 'x-ja3-fingerprint'],
  volumetric: [
    // For Rollcall's own routes only: behind a gateway, it is unknown who is authenticated, unless the gateway reports it.
    {
      name: 'unknown-callers',
      by: 'address',
      paths: ['/api/**', '/metrics'],
      authenticated: false,
      limit: { rps: 20, rpm: 600 },
      whitelisted: { rps: 100, rpm: 6_000 },
      action: 'enforce',
    },
    {
      name: 'address-floods',
      by: 'address',
      limit: { rps: 2_000, rpm: 60_000 },
      whitelisted: { rps: 10_000, rpm: 300_000 },
      action: 'enforce',
    },
    {
      name: 'fingerprint-floods',
      by: 'fingerprint',
      authenticated: false,
      limit: { rps: 2_000, rpm: 60_000 },
      whitelisted: { rps: 10_000, rpm: 300_000 },
      action: 'enforce',
    },
  ],
  inflight: [
    { name: 'identities', methods: ['POST', 'PATCH'], path: '/admin/identities', by: 'path', action: 'enforce' },
    { name: 'identity', methods: ['PUT', 'PATCH', 'DELETE'], path: '/admin/identities/*', by: 'path', action: 'enforce' },
    { name: 'identity-credentials', methods: ['DELETE'], path: '/admin/identities/*/credentials/*', by: 'path', action: 'enforce' },
    { name: 'identity-sessions', methods: ['DELETE'], path: '/admin/identities/*/sessions', by: 'path', action: 'enforce' },
    { name: 'session', methods: ['DELETE'], path: '/admin/sessions/*', by: 'path', action: 'report' },
    { name: 'session-extend', methods: ['PATCH'], path: '/admin/sessions/*/extend', by: 'path', action: 'report' },
    { name: 'recovery', methods: ['POST'], path: '/self-service/recovery', by: 'subject', action: 'report' },
  ],
  // Longer than any request of this service takes.
  lease_seconds: 60,
};

const rulesFile = z
  .strictObject(
    {
      fingerprint_headers: z
        .array(z.string('must be a header').regex(/^[\w-]+$/, 'must be the name of a header'), 'must be a list of headers')
        .default(defaultRules.fingerprint_headers),
      volumetric: z.array(volumetricRule, 'must be a list of rules').default(defaultRules.volumetric),
      inflight: z.array(inflightRule, 'must be a list of rules').default(defaultRules.inflight),
      lease_seconds: positive.max(3_600, 'must be at most 3600').default(defaultRules.lease_seconds),
    },
    'The file must hold `volumetric`, `inflight`, `fingerprint_headers` or `lease_seconds`.',
  )
  .superRefine(({ volumetric, inflight }, context) => {
    for (const [layer, rules] of Object.entries({ volumetric, inflight })) {
      const names = rules.map((rule) => rule.name);
      for (const [index, one] of names.entries())
        if (names.indexOf(one) !== index)
          context.addIssue({ code: 'custom', path: [layer, index, 'name'], message: 'is also the name of another rule' });
    }
  });

/** The default rules apply to layers that the file leaves out. */
export const readRules = (file: string | undefined): Rules => (file === undefined ? defaultRules : readValidatedFile(file, rulesFile));
