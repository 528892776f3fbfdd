import type { Limit } from './ports.ts';
import { createPathPattern, sortByPrecision, expandPath } from './path-pattern.ts';
import { plans, type Environment, type PlanName } from './plans.ts';

interface Bucket extends Limit {
  bucket: string;
}

/** The limits of a project. */
export interface Policy {
  /** In the order of the specification's tables. */
  buckets: Bucket[];
  /** The buckets of a request behind a gateway: one, unless its path is ambiguous; then all that it may belong to. */
  bucketsOf(method: string, path: string): Bucket[];
  /** The buckets of a request to this service. */
  ownBucketsOf(method: string, path: string): Bucket[];
}

export interface PolicyOptions {
  plan: PlanName;
  environment: Environment;
  overrides?: Bucket[];
}

/** The tables call the SCIM addresses of this service `/scim/**`. */
const scimAddress = /^\/api\/scim(?=\/|$)/;

export function createPolicy({ plan, environment, overrides = [] }: PolicyOptions): Policy {
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
