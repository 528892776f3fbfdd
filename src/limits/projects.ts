import { hash } from 'node:crypto';
import { z } from 'zod';
import { readKeyValue } from '../access/key-value.ts';
import type { KeyOfSession } from '../access/session-ports.ts';
import { longEnoughKeys, minKeyLength } from '../shared/api-keys.ts';
import { createNetworkMatcher, type NetworkMatcher } from './networks.ts';
import { createPathPattern, expandPath, isPathPattern, sortByPrecision } from './path-pattern.ts';
import { type Environment, type PlanName, environments, planNames, plans } from './plans.ts';
import { positive, readValidatedFile } from './read-validated-file.ts';
import type { Limit } from './ports.ts';

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
  /** By the key that a session began with. */
  ofSession(key: KeyOfSession): Project | undefined;
}

interface ProjectsOptions {
  plan: PlanName;
  environment: Environment;
  file?: string | undefined;
}

const ownProjectId = 'default';

/** An entry of a whitelist. */
const listed = z.union(
  [z.cidrv4(), z.cidrv6(), z.string().regex(/^ja[34]:\S+$/)],
  'must be a network like 192.0.2.0/24, or ja3:… or ja4:…',
);
const override = z.strictObject({
  bucket: z.string('must be a bucket like /scim/**').refine(isPathPattern, 'must be a bucket like /scim/** or POST /admin/recovery/*'),
  rps: positive,
  rpm: positive,
});
const project = z
  .strictObject({
    id: z.string('must be a name').regex(/^[\w.:-]{1,100}$/, 'must be at most 100 letters, digits and . _ : -'),
    plan: z.enum(planNames, `must be one of ${planNames.join(', ')}`),
    environment: z.enum(environments, `must be one of ${environments.join(', ')}`),
    whitelist: z.array(listed, 'must be a list of networks').default([]),
    api_keys: z
      .array(z.string('must be a key'), 'must be a list of keys')
      .refine((keys) => keys.every((key) => key.length >= minKeyLength), `must be ${longEnoughKeys}`)
      .default([]),
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
    'is also the ID of another project',
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
  const byPrefix = new Map(entries.flatMap((entry) => entry.api_keys.map((key) => [readKeyValue(key)?.prefix, byId.get(entry.id)!])));
  return {
    own,
    get: (id) => byId.get(id),
    ofSession: (key) => ('prefix' in key ? byPrefix.get(key.prefix) : byKey.get(key.rootKeyHash.toString('base64'))),
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

const digest = (text: string) => hash('sha256', text, 'base64');

interface Bucket extends Limit {
  bucket: string;
}

/** The limits of a project. */
interface Policy {
  /** The buckets have the order of the specification's tables. */
  buckets: Bucket[];
  /** The buckets of a request behind a gateway: one, unless its path is ambiguous; then all that it may belong to. */
  bucketsOf(method: string, path: string): Bucket[];
  /** The buckets of a request to this service. */
  ownBucketsOf(method: string, path: string): Bucket[];
}

interface PolicyOptions {
  plan: PlanName;
  environment: Environment;
  overrides?: Bucket[];
}

/** The tables call the SCIM addresses of this service `/scim/**`. */
const scimAddress = /^\/api\/scim(?=\/|$)/;

function createPolicy({ plan, environment, overrides = [] }: PolicyOptions): Policy {
  const rows = plans[plan][environment].map(([bucket, rps, rpm]) => ({ bucket, rps, rpm }));
  const negotiated = new Map(overrides.map((bucket) => [lowerCasePath(bucket.bucket), bucket]));
  const known = rows.map((row) => negotiated.get(row.bucket) ?? row);
  const buckets = [
    ...known.slice(0, -1),
    ...overrides.filter((one) => rows.every(({ bucket }) => bucket !== lowerCasePath(one.bucket))),
    known.at(-1)!,
  ];
  const byPattern = new Map(buckets.map((bucket) => [createPathPattern(bucket.bucket), bucket]));
  const patterns = sortByPrecision([...byPattern.keys()]);
  const bucketOf = (method: string, path: string) => byPattern.get(patterns.find((pattern) => pattern.matches(method, path))!)!;
  const ofAsked = (method: string, read: string) => bucketOf(asGet(method), read.replace(scimAddress, '/scim'));
  return {
    buckets,
    bucketsOf: (method, path) => distinct(expandPath(path).map((read) => ofAsked(method, read))),
    ownBucketsOf: (method, path) =>
      distinct(expandPath(path).map((read) => (scimAddress.test(read) ? ofAsked(method, read) : buckets.at(-1)!))),
  };
}

/** Methods are upper case anyway. */
const lowerCasePath = (bucket: string) => bucket.replace(/\/.*/, (path) => path.toLowerCase());

const distinct = (found: Bucket[]) => (found.length === 1 ? found : [...new Set(found)]);

/** HEAD counts as GET. */
const asGet = (method: string) => (method === 'HEAD' ? 'GET' : method);
