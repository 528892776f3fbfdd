import { expect, it } from '@jest/globals';
import { createElementTest, matches } from '../../../src/scim/filter/matches.ts';
import { parseFilter, parsePath } from '../../../src/scim/filter/parse-filter.ts';
import { groupType, userType } from '../../../src/scim/schema/resource-types.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const ada = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  id: '0191e000-0000-7000-8000-00000000abc0',
  externalId: 'A-1',
  userName: 'Ada@Example.com',
  active: false,
  name: { familyName: 'Lovelace', givenName: null },
  title: '',
  emails: [
    { value: 'ada@work.example', type: 'work', primary: true },
    { value: 'Ada@Home.example', type: 'home' },
  ],
  roles: [],
  [enterprise]: { employeeNumber: '7', manager: { value: 'b' } },
  ShoeSize: 5,
  pets: [{ Kind: 'cat' }, 'dog', null],
  meta: { resourceType: 'User', created: '2024-05-01T10:00:00.123Z', version: 'W/"3"' },
};

it.each([
  ['userName eq "ada@example.COM"', true],
  ['externalId eq "a-1"', false],
  ['userName sw "ADA" and userName ew ".com" and userName co "@ex"', true],
  ['userName gt "Ada@example.co" and userName lt "b"', true],
  ['userName le "ada@example.com" and userName ge "ADA@example.com" and not (userName gt "ada@example.com")', true],
  ['active eq false', true],
  ['active ne true', true],
  ['name.familyName pr and name pr and emails pr', true],
  ['name.givenName pr or title pr or roles pr or nickName pr', false],
  ['title eq "" and title eq null', true],
  ['nickName eq null and nickName ne "x"', true],
  ['nickName co "" or nickName lt "x"', false],
  ['emails eq "ada@home.example"', true],
  ['emails.type eq "home" and emails.value eq "ada@work.example"', true],
  ['emails[type eq "home" and value eq "ada@work.example"]', false],
  ['emails[type eq "home"].value eq "ada@home.example"', true],
  ['emails ne "ada@home.example"', false],
  ['emails[value ne "ada@home.example"]', true],
  ['emails[not (primary eq true)].type eq "home"', true],
  ['manager eq "b" and employeeNumber eq "7"', true],
  [`${enterprise} pr`, true],
  ['shoesize eq 5 and SHOESIZE gt 4.5', true],
  ['shoeSize eq "5" or shoeSize co "5"', false],
  ['pets.kind eq "CAT"', true],
  ['pets[value eq "Dog"]', true],
  ['pets[not (value pr)].KIND sw "c"', true],
  ['pets[value eq null and kind eq null]', false],
  ['constructor pr or toString pr or __proto__ pr or hasOwnProperty.name pr', false],
  ['meta.created eq "2024-05-01T12:00:00.123+02:00" and meta.created gt "2024-05-01" and meta.created lt 2024-05-02', true],
  ['meta.version eq "W/\\"3\\""', true],
])('the filter %s gives %s', (filter, expected) => {
  expect(matches(parseFilter(filter, userType), ada, userType)).toBe(expected);
});

it('compares text by code points', () => {
  const order = ['', 'a', 'a\uffee', 'a😀', 'a😁', 'b', '\uffee', '😀'];
  for (const [index, nickName] of order.entries()) {
    const found = order.filter((other) => matches(parseFilter(`nickName lt ${JSON.stringify(other)}`, userType), { nickName }, userType));
    expect(found).toEqual(order.slice(index + 1));
  }
});

it('selects the elements of a path', () => {
  const { path, filter } = parsePath('members[value eq "b" or display sw "c"]', groupType);
  const members = [{ value: 'a' }, { value: 'b' }, { value: 'x', display: 'Carl' }, 'b', null, ['b'], {}];
  expect(members.filter(createElementTest(filter!, { outer: path, type: groupType }))).toEqual([members[1], members[2], 'b']);
});
