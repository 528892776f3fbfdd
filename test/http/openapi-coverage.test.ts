import { expect, it } from '@jest/globals';
import { createDocument } from '../../src/http/openapi/create-document.ts';
import { allOperations } from '../../src/http/operations.ts';
import { pathsOf } from '../../src/http/server/routing.ts';

const aliases: [alias: RegExp, name: string][] = [
  [/^\/api\/v1\/dsync/, '/api/v1/directory-sync'],
  [/^\/api\/health$/, '/health/ready'],
  [/\/scim-requests$/, '/requests'],
  [/\/ServiceProviderConfigs$/, '/ServiceProviderConfig'],
];

const routes = allOperations.flatMap((operation) => pathsOf(operation).map((path) => `${operation.method.toUpperCase()} ${path}`));

const described = (limiting: boolean) =>
  Object.entries(createDocument({ baseUrl: 'https://sync.example', version: 'test', limiting }).paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );

const canonical = (route: string) => {
  const [method, path] = route.split(' ');
  return `${method} ${aliases.reduce((name, [alias, usual]) => name.replace(alias, usual), path!)}`;
};

it('describes every route once, under its canonical path', () => {
  expect(described(true).sort()).toEqual([...new Set(routes.map(canonical))].sort());
  expect(described(true).length).toBe(allOperations.length);
  expect(allOperations.length).toBeGreaterThan(70);
});

it('leaves the operations of limits out where there are no limits', () => {
  const withoutLimits = allOperations.filter(({ requiresLimits }) => !requiresLimits);
  expect(described(false).sort()).toEqual(withoutLimits.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort());
  expect(described(true).length - described(false).length).toBe(5);
});

it('serves the canonical path of every alias', () => {
  for (const [alias, name] of aliases) {
    const second = routes.filter((route) => alias.test(route.split(' ')[1]!));
    expect(second.length).toBeGreaterThan(0);
    expect(routes).toEqual(
      expect.arrayContaining(second.map((route) => `${route.split(' ')[0]} ${route.split(' ')[1]!.replace(alias, name)}`)),
    );
  }
});
