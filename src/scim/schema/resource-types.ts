import type { ResourceType, Schema, Attribute } from './attribute.ts';
import { enterpriseUserSchema } from './enterprise-user.ts';
import { groupSchema } from './group.ts';
import { userSchema } from './user.ts';
import { complex, dateTime, reference, string } from './define-attribute.ts';

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

/** What every resource has, whatever its schema (RFC 7643, section 3.1). */
export const commonAttributes: Attribute[] = [
  string('schemas', 'The schemas that the resource follows.', { multiValued: true, caseExact: true, returned: 'always' }),
  string('id', 'The id that this service gave it.', { ...assigned, caseExact: true, returned: 'always', uniqueness: 'server' }),
  string('externalId', 'The id that the identity provider gave it.', { caseExact: true }),
  complex(
    'meta',
    'What this service knows of it.',
    [
      string('resourceType', 'Its resource type.', { ...assigned, caseExact: true }),
      dateTime('created', 'When it was made.', assigned),
      dateTime('lastModified', 'When it was changed last.', assigned),
      reference('location', 'Its address.', ['uri'], assigned),
      string('version', 'Its version.', { ...assigned, caseExact: true }),
    ],
    assigned,
  ),
];
