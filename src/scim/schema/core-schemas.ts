import type { Attribute, AttributeType, Schema } from './attribute.ts';

type Traits = Partial<Omit<Attribute, 'name' | 'type' | 'description' | 'subAttributes'>>;

/** Default characteristics (RFC 7643, section 2.2). */
const usual = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const satisfies Traits;

const attribute =
  (type: AttributeType) =>
  (name: string, description: string, traits: Traits = {}): Attribute => ({ name, type, description, ...usual, ...traits });

export const string = attribute('string');
const boolean = attribute('boolean');
export const dateTime = attribute('dateTime');
const binary = (name: string, description: string, traits: Traits = {}) =>
  attribute('binary')(name, description, { caseExact: true, ...traits });
export const reference = (name: string, description: string, referenceTypes: string[], traits: Traits = {}) =>
  attribute('reference')(name, description, { caseExact: true, referenceTypes, ...traits });

export const complex = (name: string, description: string, subAttributes: Attribute[], traits: Traits = {}): Attribute => ({
  ...attribute('complex')(name, description, traits),
  subAttributes,
});

/** A multi-valued attribute with a label, a type and a primary flag (RFC 7643, section 2.4). */
const list = (name: string, description: string, value: Attribute, types: string[] = []) =>
  complex(
    name,
    description,
    [
      value,
      string('display', 'A human-readable name.'),
      string('type', 'What the value is for.', types.length > 0 ? { canonicalValues: types } : {}),
      boolean('primary', 'Whether this is the primary value; at most one is.'),
    ],
    { multiValued: true },
  );

const readOnly = { mutability: 'readOnly' } as const;

/** RFC 7643, section 4.1. */
export const userSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'User Account',
  attributes: [
    string('userName', 'The login name at the identity provider; unique in the directory.', {
      required: true,
      uniqueness: 'server',
    }),
    complex('name', "The parts of the user's name.", [
      string('formatted', 'The full name, formatted for display.'),
      string('familyName', 'The family name.'),
      string('givenName', 'The given name.'),
      string('middleName', 'Middle names.'),
      string('honorificPrefix', 'A title before the name.'),
      string('honorificSuffix', 'A suffix after the name.'),
    ]),
    string('displayName', 'The display name.'),
    string('nickName', 'The nickname.'),
    reference('profileUrl', "The address of the user's profile.", ['external']),
    string('title', 'The position, such as "Vice President".'),
    string('userType', 'The relation to the organization, such as "Employee".'),
    string('preferredLanguage', 'Preferred languages, as in the HTTP header Accept-Language.'),
    string('locale', 'The locale for formatting dates, numbers and currencies.'),
    string('timezone', 'The IANA time zone.'),
    boolean('active', 'Whether the user may use the application.'),
    string('password', 'Accepted, but never stored.', { mutability: 'writeOnly', returned: 'never', caseExact: true }),
    list('emails', 'E-mail addresses.', string('value', 'The address.'), ['work', 'home', 'other']),
    list('phoneNumbers', 'Telephone numbers.', string('value', 'The number.'), ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    list('ims', 'Instant messaging addresses.', string('value', 'The address.'), [
      'aim',
      'gtalk',
      'icq',
      'xmpp',
      'msn',
      'skype',
      'qq',
      'yahoo',
    ]),
    list('photos', 'Addresses of pictures.', reference('value', 'The address of the picture.', ['external']), ['photo', 'thumbnail']),
    complex(
      'addresses',
      'Postal addresses.',
      [
        string('formatted', 'The full address, formatted for display.'),
        string('streetAddress', 'Street, house number, apartment.'),
        string('locality', 'City or place.'),
        string('region', 'State or region.'),
        string('postalCode', 'Postal code.'),
        string('country', 'Two-letter country code.'),
        string('type', 'The type of the address.', { canonicalValues: ['work', 'home', 'other'] }),
        boolean('primary', 'Whether this is the preferred address; one at most is.'),
      ],
      { multiValued: true },
    ),
    complex(
      'groups',
      'Groups that the user is a direct member of.',
      [
        string('value', "The group's ID.", { ...readOnly, caseExact: true }),
        reference('$ref', "The group's address.", ['Group'], readOnly),
        string('display', "The group's name.", readOnly),
        string('type', 'How the user is a member.', { ...readOnly, canonicalValues: ['direct', 'indirect'] }),
      ],
      { multiValued: true, ...readOnly },
    ),
    list('entitlements', 'What the user is entitled to.', string('value', 'The entitlement.')),
    list('roles', 'The roles of the user.', string('value', 'The role.')),
    list('x509Certificates', 'Certificates.', binary('value', 'The DER-encoded certificate in base64.')),
  ],
};

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
        string('value', "The member's ID.", { ...immutable, caseExact: true }),
        reference('$ref', "The member's address.", ['User', 'Group'], immutable),
        string('display', "The member's name, as the identity provider sent it.", immutable),
        string('type', 'The type of the member.', { ...immutable, canonicalValues: ['User', 'Group'] }),
      ],
      { multiValued: true },
    ),
  ],
};
