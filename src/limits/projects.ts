import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createNetworkMatcher, type NetworkMatcher } from './networks.ts';
import { isPathPattern } from './path-pattern.ts';
import { environments, planNames, type Environment, type PlanName } from './plans.ts';
import { createPolicy, type Policy } from './policy.ts';
import { readValidatedFile } from './read-validated-file.ts';

export interface Project extends Policy {
  id: string;
  plan: PlanName;
  environment: Environment;
  isWhitelisted(source: { address: string; fingerprint?: string | undefined }): boolean;
}

export interface Projects {
  /** The deployment's own project. */
  own: Project;
  get(id: string): Project | undefined;
  ofApiKey(apiKey: string): Project | undefined;
}

export interface ProjectsOptions {
  plan: PlanName;
  environment: Environment;
  file?: string | undefined;
}

const ownProjectId = 'default';

const whole = z.int('must be a whole number above 0').min(1, 'must be a whole number above 0');
/** An entry of a whitelist. */
const listed = z.union(
  [z.cidrv4(), z.cidrv6(), z.string().regex(/^ja[34]:\S+$/)],
  'must be a network like 192.0.2.0/24, or ja3:… or ja4:…',
);
const override = z.strictObject({
  bucket: z.string('must be a bucket like /scim/**').refine(isPathPattern, 'must be a bucket like /scim/** or POST /admin/recovery/*'),
  rps: whole,
  rpm: whole,
});
const project = z
  .strictObject({
    id: z.string('must be a name').regex(/^[\w.:-]{1,100}$/, 'must be at most 100 letters, digits and . _ : -'),
    plan: z.enum(planNames, `must be one of ${planNames.join(', ')}`),
    environment: z.enum(environments, `must be one of ${environments.join(', ')}`),
    whitelist: z.array(listed, 'must be a list of networks').default([]),
    api_keys: z.array(z.string('must be a key').min(1, 'must not be empty'), 'must be a list of keys').default([]),
    overrides: z.array(override, 'must be a list of buckets').default([]),
  })
  .refine(({ plan, whitelist }) => whitelist.length === 0 || allowsWhitelist(plan), {
    error: 'requires the plan growth or enterprise',
    path: ['whitelist'],
  })
  .refine(({ plan, overrides }) => overrides.length === 0 || plan === 'enterprise', {
    error: 'require the plan enterprise',
    path: ['overrides'],
  });

const projectsFile = z.array(project, 'The file must hold a list of projects.').superRefine((projects, context) => {
  rejectDuplicates(
    projects.map(({ id }) => [id]),
    'id',
    'is also the id of another project',
    context,
  );
  rejectDuplicates(
    projects.map(({ api_keys: keys }) => [...new Set(keys)]),
    'api_keys',
    'contains a key of another project',
    context,
  );
});

function rejectDuplicates(values: string[][], field: string, message: string, context: z.RefinementCtx) {
  const seen = new Set<string>();
  for (const [index, some] of values.entries()) {
    if (some.some((value) => seen.has(value))) context.addIssue({ code: 'custom', path: [index, field], message });
    for (const value of some) seen.add(value);
  }
}

const allowsWhitelist = (plan: PlanName) => ['growth', 'scale', 'enterprise'].includes(plan);

type Entry = z.output<typeof project>;

/** Includes the deployment's own project, unless the file describes it. */
export function createProjects({ plan, environment, file }: ProjectsOptions): Projects {
  const entries = file === undefined ? [] : readValidatedFile(file, projectsFile);
  const byId = new Map(entries.map((entry) => [entry.id, toProject(entry)]));
  const own = byId.get(ownProjectId) ?? toProject({ id: ownProjectId, plan, environment, whitelist: [], api_keys: [], overrides: [] });
  byId.set(ownProjectId, own);
  // Looked up by digest, so that timing reveals nothing about the keys.
  const byKey = new Map(entries.flatMap((entry) => entry.api_keys.map((key) => [digest(key), byId.get(entry.id)!])));
  return {
    own,
    get: (id) => byId.get(id),
    ofApiKey: (apiKey) => (byKey.size === 0 ? undefined : byKey.get(digest(apiKey))),
  };
}

function toProject({ id, plan, environment, whitelist, overrides }: Entry): Project {
  const isKnownNetwork: NetworkMatcher = createNetworkMatcher(whitelist.filter((item) => !item.startsWith('ja')));
  const fingerprints = new Set(whitelist.filter((item) => item.startsWith('ja')).map((item) => item.slice(4)));
  return {
    id,
    plan,
    environment,
    ...createPolicy({ plan, environment, overrides }),
    isWhitelisted: (source) => isKnownNetwork(source.address) || (source.fingerprint !== undefined && fingerprints.has(source.fingerprint)),
  };
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64');
