/** A row of the specification's tables: bucket, burst limit in requests per second, sustained limit in requests per minute. */
export type Row = readonly [bucket: string, rps: number, rpm: number];

export const planNames = ['developer', 'production', 'growth', 'enterprise', 'essential', 'scale'] as const;
export type PlanName = (typeof planNames)[number];

export const environments = ['production', 'staging', 'development'] as const;
export type Environment = (typeof environments)[number];

const developer: Row[] = [
  ['/sessions/whoami', 10, 300],
  ['/admin/oauth2/introspect', 10, 300],
  ['/relation-tuples/check', 10, 300],
  ['GET /admin/identities', 1, 10],
  ['POST /admin/identities', 1, 10],
  ['PATCH /admin/identities', 1, 10],
  ['POST /admin/recovery/*', 1, 10],
  ['POST /self-service/registration', 1, 10],
  ['POST /self-service/recovery', 1, 10],
  ['POST /self-service/settings', 1, 10],
  ['POST /self-service/verification', 1, 10],
  ['/scim/**', 1, 10],
  ['*', 5, 150],
];

const production: Row[] = [
  ['/sessions/whoami', 80, 1800],
  ['/admin/oauth2/introspect', 80, 1800],
  ['/relation-tuples/check', 80, 1800],
  ['GET /admin/identities', 10, 300],
  ['POST /admin/recovery/*', 10, 30],
  ['/scim/**', 10, 300],
  ['*', 40, 900],
];

const growth: Row[] = [
  ['/sessions/whoami', 800, 18000],
  ['/admin/oauth2/introspect', 800, 18000],
  ['/relation-tuples/check', 800, 18000],
  ['GET /admin/identities', 20, 600],
  ['POST /admin/recovery/*', 10, 300],
  ['/scim/**', 10, 300],
  ['*', 400, 9000],
];

const enterprise: Row[] = [
  ['/sessions/whoami', 1200, 36000],
  ['/admin/oauth2/introspect', 1200, 36000],
  ['/relation-tuples/check', 1200, 36000],
  ['GET /admin/identities', 60, 1200],
  ['POST /admin/recovery/*', 20, 600],
  ['/scim/**', 20, 600],
  ['*', 800, 18000],
];

/** Staging and development of every plan except Developer. */
const notProduction: Row[] = [
  ['/sessions/whoami', 10, 30],
  ['/admin/oauth2/introspect', 10, 300],
  ['/relation-tuples/check', 10, 300],
  ['GET /admin/identities', 1, 10],
  ['/scim/**', 1, 10],
  ['*', 5, 150],
];

/** Essential and Scale are former names of Production and Growth. */
export const plans: Record<PlanName, Record<Environment, Row[]>> = {
  developer: { production: developer, staging: developer, development: developer },
  production: { production, staging: notProduction, development: notProduction },
  essential: { production, staging: notProduction, development: notProduction },
  growth: { production: growth, staging: notProduction, development: notProduction },
  scale: { production: growth, staging: notProduction, development: notProduction },
  enterprise: { production: enterprise, staging: notProduction, development: notProduction },
};
