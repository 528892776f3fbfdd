import { expect, it } from '@jest/globals';
import { createDocument } from '../../src/http/openapi/document.ts';
import { createRouters, type RouterDeps } from '../../src/http/routers.ts';
import { decisionAddress } from '../../src/http/routes/limit-decision.ts';

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Second names, which the description tells of in a sentence. */
const aliases: [alias: RegExp, name: string][] = [
  [/^\/api\/v1\/dsync/, '/api/v1/directory-sync'],
  [/\/scim-requests$/, '/requests'],
  [/\/ServiceProviderConfigs$/, '/ServiceProviderConfig'],
];

const routesOf = (deps: Partial<RouterDeps>) =>
  Object.values(createRouters(deps as RouterDeps))
    .flat()
    .flatMap(({ stack }) =>
      stack.flatMap((layer) => layer.methods.filter((method) => methods.has(method)).map((method) => `${method} ${layer.path}`)),
    )
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'));

const described = (limiting: boolean) =>
  Object.entries(createDocument({ baseUrl: 'https://sync.example', version: 'test', limiting }).paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );

const usualName = (route: string) => {
  const [method, path] = route.split(' ');
  return `${method} ${aliases.reduce((name, [alias, usual]) => name.replace(alias, usual), path!)}`;
};

const limiting = {} as NonNullable<RouterDeps['limiting']>;
/** No router's: whatever is asked about follows the address, or stands in headers. */
const decisions = [`GET ${decisionAddress}`, `POST ${decisionAddress}/{path}`];

it('describes every route, and nothing else', () => {
  const routes = new Set([...routesOf({ limiting }).map(usualName), ...decisions]);
  expect(described(true).sort()).toEqual([...routes].sort());
  expect(routes.size).toBeGreaterThan(70);
});

it('describes nothing of limits where there are none', () => {
  expect(described(false).sort()).toEqual([...new Set(routesOf({}).map(usualName))].sort());
  expect(described(true).length - described(false).length).toBe(5);
});

it('has both names of every address that has two', () => {
  const routes = routesOf({ limiting });
  for (const [alias, name] of aliases) {
    const second = routes.filter((route) => alias.test(route.split(' ')[1]!));
    expect(second.length).toBeGreaterThan(0);
    expect(routes).toEqual(
      expect.arrayContaining(second.map((route) => `${route.split(' ')[0]} ${route.split(' ')[1]!.replace(alias, name)}`)),
    );
  }
});
