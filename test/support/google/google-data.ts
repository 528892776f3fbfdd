export interface GoogleUser {
  id: string;
  primaryEmail: string;
  [name: string]: unknown;
}

export interface GoogleGroup {
  id: string;
  email: string;
  [name: string]: unknown;
}

export interface GoogleMember {
  id?: string;
  type?: string;
  [name: string]: unknown;
}

let count = 0;
const nextNumber = () => (count += 1);

/** A user with the usual fields of `projection=full`. */
export function createGoogleUser(given: Partial<GoogleUser> = {}): GoogleUser {
  const number = nextNumber();
  const id = given.id ?? String(100_000_000_000_000_000_000n + BigInt(number));
  const primaryEmail = given.primaryEmail ?? `person-${number}@example.com`;
  return {
    kind: 'admin#directory#user',
    id,
    etag: `"etag-of-${id}"`,
    primaryEmail,
    name: { givenName: 'Person', familyName: String(number), fullName: `Person ${number}` },
    isAdmin: false,
    isDelegatedAdmin: false,
    lastLoginTime: '2026-10-01T09:00:00.000Z',
    creationTime: '2025-01-31T12:00:00.000Z',
    agreedToTerms: true,
    suspended: false,
    archived: false,
    changePasswordAtNextLogin: false,
    ipWhitelisted: false,
    emails: [{ address: primaryEmail, primary: true }],
    languages: [{ languageCode: 'en', preference: 'preferred' }],
    organizations: [{ title: 'Engineer', primary: true, department: 'Research', customType: '' }],
    customerId: 'C01fake',
    orgUnitPath: '/',
    isMailboxSetup: true,
    isEnrolledIn2Sv: false,
    isEnforcedIn2Sv: false,
    includeInGlobalAddressList: true,
    thumbnailPhotoUrl: `https://lh3.example/${id}`,
    thumbnailPhotoEtag: `"photo-of-${id}"`,
    ...given,
  };
}

export function createGoogleGroup(given: Partial<GoogleGroup> = {}): GoogleGroup {
  const number = nextNumber();
  const id = given.id ?? `01fake${String(number).padStart(9, '0')}`;
  return {
    kind: 'admin#directory#group',
    id,
    etag: `"etag-of-${id}"`,
    email: given.email ?? `group-${number}@example.com`,
    name: `Group ${number}`,
    description: '',
    adminCreated: true,
    ...given,
  };
}

export const createGoogleMember = (given: GoogleMember): GoogleMember => ({
  kind: 'admin#directory#member',
  etag: '"etag-of-member"',
  role: 'MEMBER',
  type: 'USER',
  status: 'ACTIVE',
  ...given,
});
