import { invalidSyntax, invalidValue, tooLarge } from '../errors.ts';
import { readMessage } from '../message.ts';
import type { BulkRequest } from './operation.ts';
import { readEntry } from './read-entry.ts';
import { readOperation, type Creations } from './read-operation.ts';

export const maxBulkOperations = 1000;

interface BulkOptions {
  /** Assigns an id to each create, so that other operations can refer to it. */
  newId(): string;
  maxOperations?: number;
}

/** Reads the body of `POST /Bulk`. An invalid operation becomes an error of that operation alone. */
export function readBulk(body: unknown, { newId, maxOperations = maxBulkOperations }: BulkOptions): BulkRequest {
  const message = readMessage(body, 'BulkRequest');
  const failOnErrors = readFailOnErrors(message.get('failonerrors'));
  const given = message.get('operations');
  if (!Array.isArray(given)) throw invalidSyntax('Operations must be an array.');
  if (given.length > maxOperations) throw tooLarge(`A Bulk request must contain at most ${maxOperations} operations (maxOperations).`);

  const entries = given.map(readEntry);
  const creations: Creations = new Map();
  for (const { index, method, bulkId } of entries) {
    if (method !== 'POST' || bulkId === undefined) continue;
    if (creations.has(bulkId)) throw invalidSyntax('Duplicate bulkId: each bulkId must identify one new resource.');
    creations.set(bulkId, { index, id: newId() });
  }
  const operations = entries.map((entry) => readOperation(entry, creations));
  const order = orderByDependency(operations.map((operation) => (operation.error ? [] : operation.dependsOn)));
  return { ...(failOnErrors !== undefined && { failOnErrors }), operations, order };
}

function readFailOnErrors(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw invalidValue('failOnErrors must be a whole number of at least 1.');
  return number;
}

/**
 * Orders operations after those they depend on, and otherwise as in the request (Tarjan's strongly connected components). Operations that
 * depend on each other keep their order.
 */
function orderByDependency(dependsOn: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const open: number[] = [];
  const seenAt: (number | undefined)[] = [];
  const isDone: boolean[] = [];
  let count = 0;

  for (const index of dependsOn.keys()) if (seenAt[index] === undefined) visit(index);
  return order;

  /** Returns the earliest open operation that this one leads to. */
  function visit(index: number): number {
    const at = count++;
    seenAt[index] = at;
    open.push(index);
    let earliest = at;
    for (const other of dependsOn[index]!) if (!isDone[other]) earliest = Math.min(earliest, seenAt[other] ?? visit(other));
    if (earliest === at) {
      const circle = open.splice(open.lastIndexOf(index)).sort((one, other) => one - other);
      for (const member of circle) isDone[member] = true;
      order.push(...circle);
    }
    return earliest;
  }
}
