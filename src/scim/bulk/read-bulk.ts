import { invalidSyntax, invalidValue, tooLarge } from '../errors.ts';
import { readMessage } from '../message.ts';
import type { BulkRequest } from './operation.ts';
import { readEntry } from './read-entry.ts';
import { readOperation, type Creations } from './read-operation.ts';

export const maxBulkOperations = 1000;

interface BulkOptions {
  /** Each creation gets its id here, so that the others can name what does not exist yet. */
  newId(): string;
  maxOperations?: number;
}

/** Reads the body of `POST /Bulk`. What is wrong with one operation is a refusal of that operation alone. */
export function readBulk(body: unknown, { newId, maxOperations = maxBulkOperations }: BulkOptions): BulkRequest {
  const message = readMessage(body, 'BulkRequest');
  const failOnErrors = readFailOnErrors(message.get('failonerrors'));
  const given = message.get('operations');
  if (!Array.isArray(given)) throw invalidSyntax('Operations must be an array.');
  if (given.length > maxOperations) throw tooLarge(`A bulk request may hold at most ${maxOperations} operations (maxOperations).`);

  const entries = given.map(readEntry);
  const creations: Creations = new Map();
  for (const { index, method, bulkId } of entries) {
    if (method !== 'POST' || bulkId === undefined) continue;
    if (creations.has(bulkId)) throw invalidSyntax('A bulkId is there twice; each may stand for one new resource only.');
    creations.set(bulkId, { index, id: newId() });
  }
  const operations = entries.map((entry) => readOperation(entry, creations));
  const order = orderByDependency(operations.map((operation) => (operation.refusal ? [] : operation.dependsOn)));
  return { ...(failOnErrors !== undefined && { failOnErrors }), operations, order };
}

function readFailOnErrors(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw invalidValue('failOnErrors must be a whole number, at least 1.');
  return number;
}

/**
 * Puts each operation after those it depends on, and leaves the rest in the order of the request: Tarjan's strongly connected
 * components. Those that depend on each other keep their order among themselves.
 */
function orderByDependency(dependsOn: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  const open: number[] = [];
  const seenAt: (number | undefined)[] = [];
  const isDone: boolean[] = [];
  let count = 0;

  for (const index of dependsOn.keys()) if (seenAt[index] === undefined) visit(index);
  return order;

  /** Returns the earliest operation still open that this one leads to. */
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
