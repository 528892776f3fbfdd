import type { Schema } from './attribute.ts';
import { complex, reference, string } from './define-attribute.ts';

/** RFC 7643, section 4.3. */
export const enterpriseUserSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  // Not the display name: clients build a class from it (RFC 7643, section 8.7).
  name: 'EnterpriseUser',
  description: 'What an organisation says of a user.',
  attributes: [
    string('employeeNumber', 'A number or name given by the organisation.'),
    string('costCenter', 'The cost centre.'),
    string('organization', 'The organisation.'),
    string('division', 'The division.'),
    string('department', 'The department.'),
    complex('manager', "The user's manager.", [
      string('value', "The manager's id.", { caseExact: true }),
      reference('$ref', "The manager's address.", ['User']),
      string('displayName', "The manager's name.", { mutability: 'readOnly' }),
    ]),
  ],
};
