import type { Components, JsonSchema } from './components.ts';
import { headers } from './headers.ts';

/** The headers of answers. Some are there only where requests are limited. */
export const describeHeaders = (components: Components, { limiting }: { limiting: boolean }): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith('If-') && (limiting || !/RateLimit|Lease/.test(name)))
      .map(([name, schema]) => {
        const { description, examples, ...json } = components.toJsonSchema(schema, 'output') as JsonSchema & { examples?: unknown[] };
        return [name, { description, schema: json, example: examples?.[0] }];
      }),
  );
