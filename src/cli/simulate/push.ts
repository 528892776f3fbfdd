/** One SCIM request of a simulated identity provider, with the response. Fails for a status other than 2xx. */
export type Push = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => Promise<ScimBody>;

/** A resource, or a list of resources. */
interface ScimBody {
  id: string;
  Resources?: ScimBody[];
}

export interface Person {
  givenName: string;
  familyName: string;
  email: string;
  title: string;
}

interface Simulation {
  push: Push;
  /** Announces the requests that follow. */
  announce(step: string): void;
  people: Person[];
  groupName: string;
}

/** An identity provider as it really pushes: the same requests, in the same order, in its own dialect. */
export interface SimulatedProvider {
  name: string;
  directoryType: string;
  headers: Record<string, string>;
  run(simulation: Simulation): Promise<void>;
}

export const schemas = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  enterpriseUser: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
};

export const patch = (...operations: object[]) => ({ schemas: [schemas.patch], Operations: operations });

export const fullName = ({ givenName, familyName }: Person) => `${givenName} ${familyName}`;

/** The first resource that a filter finds. */
export async function lookUp(push: Push, path: string): Promise<ScimBody | undefined> {
  const { Resources: found = [] } = await push('GET', path);
  return found[0];
}

export interface PushedRequest {
  method: string;
  path: string;
  status: number;
  durationMs: number;
}

interface PushOptions {
  /** The directory's SCIM address and secret. */
  endpoint: string;
  secret: string;
  headers: Record<string, string>;
  onResponse(request: PushedRequest): void;
}

/** What an identity provider would report as a failed push: an error response, or none at all. */
export class PushError extends Error {}

/** Okta's timeout. */
const timeoutMs = 60_000;

/** Pushes to one directory, one request after the other. */
export function createPush({ endpoint, secret, headers, onResponse }: PushOptions): Push {
  return async function push(method, path, body) {
    const startedMs = performance.now();
    const response = await fetch(`${endpoint}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${secret}` },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(({ message, cause }: Error) => {
      const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
      throw new PushError(`${method} ${path} got no response: ${reason}`);
    });
    const text = await response.text();
    const request = { method, path, status: response.status, durationMs: performance.now() - startedMs };
    onResponse(request);
    if (!response.ok) throw new PushError(`${method} ${path} returned ${response.status}: ${detailOf(text)}`);
    return (text === '' ? {} : JSON.parse(text)) as ScimBody;
  };
}

function detailOf(text: string): string {
  try {
    const { detail, error } = JSON.parse(text) as { detail?: string; error?: { message?: string } };
    return detail ?? error?.message ?? text;
  } catch {
    return text.slice(0, 200) || 'no body';
  }
}

const names = [
  ['Ada', 'Lovelace', 'Analyst'],
  ['Grace', 'Hopper', 'Engineer'],
  ['Alan', 'Turing', 'Researcher'],
  ['Katherine', 'Johnson', 'Mathematician'],
  ['Edsger', 'Dijkstra', 'Engineer'],
  ['Barbara', 'Liskov', 'Architect'],
  ['Dennis', 'Ritchie', 'Engineer'],
  ['Margaret', 'Hamilton', 'Director'],
] as const;

/** The same people each time, so that a second run finds those of the first. */
export function listPeople(count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const [givenName, familyName, title] = names[index % names.length]!;
    const round = Math.floor(index / names.length);
    const suffix = round === 0 ? '' : String(round + 1);
    return {
      givenName,
      familyName: `${familyName}${suffix && ` ${suffix}`}`,
      email: `${givenName}.${familyName}${suffix}@example.com`.toLowerCase(),
      title,
    };
  });
}
