import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/paths.ts';

/** The requests of an identity provider, and their expected effects: a file of `test/fixtures/idp`. */
export interface Traffic {
  provider: string;
  traffic: string;
  type: string;
  headers: Record<string, string>;
  steps: Step[];
  rows: Rows;
}

/** In all texts of a step, `{ada.id}` is replaced with a part of the response that was stored as `ada`. */
export interface Step {
  what?: string;
  request: string;
  headers?: Record<string, string>;
  body?: object;
  /** Sends back the response stored under this name, merged with `body`. */
  echo?: string;
  status: number;
  response?: object;
  lacks?: string[];
  keep?: string;
  /** All events of this step, in order, each with a part of its data. Default: none. */
  events?: [type: string, data: object][];
}

/** Parts of the rows that are stored in the end, in the order of creation. Members are user names. */
export interface Rows {
  users?: object[];
  groups?: (object & { members?: string[]; pending?: string[] })[];
}

const folder = join(packageRoot, 'test/fixtures/idp');

export async function readAllTraffic(): Promise<Traffic[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Traffic));
}

/** Responses that later steps refer to. */
export function createStoredResponses() {
  const stored = new Map<string, unknown>();
  const lookUp = (path: string): string => {
    const [name, ...steps] = path.split('.');
    const found = steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], stored.get(name!));
    if (typeof found !== 'string') throw new Error(`No stored response has ${path}.`);
    return found;
  };
  const fillIn = (text: string) => text.replaceAll(/\{(\w+(?:\.\w+)+)\}/g, (_, path: string) => lookUp(path));
  return {
    keep: (name: string, response: unknown) => void stored.set(name, response),
    get: (name: string) => stored.get(name) as object,
    fillIn,
    fillInAll: <Value>(value: Value): Value => (value === undefined ? value : (JSON.parse(fillIn(JSON.stringify(value))) as Value)),
  };
}
