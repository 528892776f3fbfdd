import { z } from 'zod';
import { type Rules, inflightRule, volumetricRule, whole } from './rule.ts';
import { readValidatedFile } from './read-validated-file.ts';

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
      lease_seconds: whole.max(3_600, 'must be at most 3600').default(defaultRules.lease_seconds),
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
