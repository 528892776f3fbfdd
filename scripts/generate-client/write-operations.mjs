export function writeOperations(operations) {
  const entries = operations.map(({ id, method, path, pathParameters, takes }) => {
    const names = pathParameters.map(({ name }) => name);
    return `${JSON.stringify(id)}: ${JSON.stringify({ method, path, pathParameters: names, takes })},\n`;
  });
  return `import type { Operation } from '../operation.ts';\n\nexport const operations: Record<string, Operation> = {\n${entries.join('')}};\n`;
}
