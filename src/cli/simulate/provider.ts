/** One SCIM request of a simulated identity provider, with the response. Fails for a status other than 2xx. */
export type Push = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => Promise<ScimBody>;

/** A resource, or a list of resources. */
export interface ScimBody {
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
