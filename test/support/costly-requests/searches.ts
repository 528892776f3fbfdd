import fc from 'fast-check';
import { users } from './stored-resources.ts';
import { elementFilter, literal, maxRequestBytes, names, operators, path, times } from './values.ts';

/** Small searches that are hostile by their shape, in many variations. */

export const filters = fc.oneof(
  elementFilter,
  fc.tuple(fc.constantFrom('emails', 'x'), elementFilter).map(([name, inner]) => `${name}[${inner}]`.slice(0, 8_000)),
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...names.slice(0, 6), 'userName', 'emails.value'), fc.constantFrom(...operators), literal), {
        minLength: 1,
        maxLength: 4,
      }),
    )
    .map(([terms]) =>
      times(100, (index) => terms[index % terms.length]!.join(' ')).reduce((all, one) =>
        all.length + one.length < 7_900 ? `${all} or ${one}` : all,
      ),
    ),
);
export const filtered = Object.values(users);

/** The parameters of a search beside its filter: thousands of attribute names. */
const nameList = fc
  .tuple(fc.array(fc.oneof(path, fc.constantFrom(...names)), { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 30_000 }))
  .map(([some, count]) => {
    const all: string[] = [];
    let bytes = 0;
    for (let index = 0; index < count; index += 1) {
      const name = index % 2 === 0 ? some[(index / 2) % some.length]! : `n${index}.s${index}`;
      bytes += name.length + 3;
      if (bytes > maxRequestBytes - 10_000) break;
      all.push(name);
    }
    return all;
  });
export const searches: fc.Arbitrary<object> = fc.record(
  {
    filter: filters,
    sortBy: fc.oneof(fc.constantFrom(...names, 'emails.value', 'meta.lastModified'), path),
    sortOrder: fc.constantFrom('ascending', 'descending'),
    attributes: fc.oneof(
      nameList,
      nameList.map((all) => [all.join(',')]),
    ),
    excludedAttributes: nameList,
  },
  { requiredKeys: [] },
);
