import type { ResourceType, Schema, Attribute } from './attribute.ts';
import { complex, dateTime, groupSchema, reference, string, userSchema } from './core-schemas.ts';

/** RFC 7643, section 4.3. */
const enterpriseUserSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  // This is not the display name: clients build a class from it (RFC 7643, section 8.7).
  name: 'EnterpriseUser',
  description: 'Enterprise user attributes.',
  attributes: [
    string('employeeNumber', 'A number or name given by the organization.'),
    string('costCenter', 'The cost center.'),
    string('organization', 'The organization.'),
    string('division', 'The division.'),
    string('department', 'The department.'),
    complex('manager', "The user's manager.", [
      string('value', "The manager's ID.", { caseExact: true }),
      reference('$ref', "The manager's address.", ['User']),
      string('displayName', "The manager's name.", { mutability: 'readOnly' }),
    ]),
  ],
};

export const userType: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: 'User Account',
  schema: userSchema,
  extensions: [enterpriseUserSchema],
};

export const groupType: ResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Group',
  schema: groupSchema,
  extensions: [],
};

export const resourceTypes: ResourceType[] = [userType, groupType];
export const schemas: Schema[] = [userSchema, enterpriseUserSchema, groupSchema];

const assigned = { mutability: 'readOnly' } as const;

/** Attributes of every resource (RFC 7643, section 3.1). */
export const commonAttributes: Attribute[] = [
  string('schemas', 'The schemas that the resource follows.', { multiValued: true, caseExact: true, returned: 'always' }),
  string('id', 'The ID that this service assigned.', { ...assigned, caseExact: true, returned: 'always', uniqueness: 'server' }),
  string('externalId', 'The ID that the identity provider assigned.', { caseExact: true }),
  complex(
    'meta',
    'Metadata of the resource.',
    [
      string('resourceType', 'The resource type.', { ...assigned, caseExact: true }),
      dateTime('created', 'When the resource was created.', assigned),
      dateTime('lastModified', 'When the resource was last changed.', assigned),
      reference('location', 'The address of the resource.', ['uri'], assigned),
      string('version', 'The version of the resource.', { ...assigned, caseExact: true }),
    ],
    assigned,
  ),
];
