import { exampleOf } from './example-of.ts';
import type { OpenApiDocument } from './open-api-document.ts';

/** Adds an example to every JSON response of success that has none. */
export function addExamples(document: OpenApiDocument): OpenApiDocument {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      for (const [type, described] of Object.entries(content))
        if (Number(status) < 400 && type.endsWith('json')) described.example ??= exampleOf(document, described.schema);
  return document;
}
