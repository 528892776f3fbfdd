import type { Schema } from './attribute.ts';
import { complex, reference, string } from './define-attribute.ts';

const immutable = { mutability: 'immutable' } as const;

/** RFC 7643, section 4.2. */
export const groupSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'Group',
  attributes: [
    string('displayName', "The group's name; unique in its directory.", { required: true, uniqueness: 'server' }),
    complex(
      'members',
      'Users and groups that belong to the group.',
      [
        string('value', "The member's id.", { ...immutable, caseExact: true }),
        reference('$ref', "The member's address.", ['User', 'Group'], immutable),
        string('display', "The member's name, as the identity provider sent it.", immutable),
        string('type', 'The type of the member.', { ...immutable, canonicalValues: ['User', 'Group'] }),
      ],
      { multiValued: true },
    ),
  ],
};
