import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What an identity provider sends in the course of some days, and what becomes of it: a file of `test/fixtures/idp`. */
export interface Traffic {
  provider: string;
  traffic: string;
  /** The directory's. */
  type: string;
  headers: Record<string, string>;
  steps: Step[];
  rows: Rows;
}

/** In all texts of a step, `{ada.id}` stands for a part of an answer that was kept as `ada`. */
export interface Step {
  what?: string;
  request: string;
  headers?: Record<string, string>;
  body?: object;
  /** Sends back the answer kept under this name, with `body` over it. */
  echo?: string;
  status: number;
  /** Part of the answer. */
  response?: object;
  lacks?: string[];
  keep?: string;
  /** All events of this step, in order, each with a part of its data. Without: none. */
  events?: [type: string, data: object][];
}

/** What is stored in the end, in the order in which it was created; parts of each row. Members go by user name. */
export interface Rows {
  users?: object[];
  groups?: (object & { members?: string[]; pending?: string[] })[];
}

const folder = join(import.meta.dirname, '../fixtures/idp');

export async function readAllTraffic(): Promise<Traffic[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as Traffic));
}

/** Answers that later steps refer to. */
export function createKept() {
  const kept = new Map<string, unknown>();
  const lookUp = (path: string): string => {
    const [name, ...steps] = path.split('.');
    const found = steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], kept.get(name!));
    if (typeof found !== 'string') throw new Error(`No stored response has ${path}.`);
    return found;
  };
  const fillIn = (text: string) => text.replaceAll(/\{(\w+(?:\.\w+)+)\}/g, (_, path: string) => lookUp(path));
  return {
    keep: (name: string, response: unknown) => void kept.set(name, response),
    get: (name: string) => kept.get(name) as object,
    fillIn,
    fillInAll: <Value>(value: Value): Value => (value === undefined ? value : (JSON.parse(fillIn(JSON.stringify(value))) as Value)),
  };
}
