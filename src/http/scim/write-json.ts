import { createPause, type Pause } from '../../shared/pause.ts';

/** Longer lists are written in parts. */
const itemsPerChunk = 64;
/** How deep long lists are: the resources of a list, and their members or groups. */
const maxDepth = 4;

/**
 * Like `JSON.stringify`, but without blocking the event loop: a response may have 200,000 members. A long value becomes a promise of bytes.
 * The check can stop it by throwing.
 */
export function writeJson(value: unknown, check?: () => void): Promise<Buffer> | string {
  return isLong(value, maxDepth) ? writeLong(value, check) : (JSON.stringify(value) ?? 'null');
}

async function writeLong(value: unknown, check: (() => void) | undefined): Promise<Buffer> {
  const parts: Buffer[] = [];
  await write(value, maxDepth, { pause: createPause(check), add: (text) => void parts.push(Buffer.from(text)) });
  return Buffer.concat(parts);
}

interface Writing {
  pause: Pause;
  add(text: string): void;
}

function isLong(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (Array.isArray(value) && value.length > itemsPerChunk) return true;
  for (const name in value) if (isLong((value as Record<string, unknown>)[name], depth - 1)) return true;
  return false;
}

async function write(value: unknown, depth: number, writing: Writing): Promise<void> {
  await writing.pause();
  if (!isLong(value, depth)) writing.add(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) await writeList(value, depth, writing);
  else {
    writing.add('{');
    let comma = '';
    for (const [name, inner] of Object.entries(value as object)) {
      if (inner === undefined) continue;
      writing.add(`${comma}${JSON.stringify(name)}:`);
      await write(inner, depth - 1, writing);
      comma = ',';
    }
    writing.add('}');
  }
}

async function writeList(items: unknown[], depth: number, writing: Writing): Promise<void> {
  const hasLong = items.some((item) => isLong(item, depth - 1));
  writing.add('[');
  for (let from = 0; from < items.length; from += hasLong ? 1 : itemsPerChunk) {
    if (from > 0) writing.add(',');
    if (hasLong) await write(items[from], depth - 1, writing);
    else writing.add(JSON.stringify(items.slice(from, from + itemsPerChunk)).slice(1, -1));
    await writing.pause();
  }
  writing.add(']');
}
