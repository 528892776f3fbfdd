import { z } from 'zod';
import { defaultRules } from './default-rules.ts';
import { readCheckedFile } from './read-checked-file.ts';
import { inflightRule, volumetricRule, whole, type Rules } from './rule.ts';

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
          context.addIssue({ code: 'custom', path: [layer, index, 'name'], message: 'is the name of another rule too' });
    }
  });

/** Of a layer that the file leaves out the default rules hold. */
export const readRules = (file: string | undefined): Rules => (file === undefined ? defaultRules : readCheckedFile(file, rulesFile));
