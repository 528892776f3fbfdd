import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';

const main = join(packageRoot, 'src/main.ts');

/** Files and packages that are loaded before a command is known: everything that is imported statically. */
function findLoaded(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, clause, name] of text.matchAll(/^(?:import|export) (?!type )([^;]*?from )?'([^']+)';$/gm)) {
    const isOfTypes = clause !== undefined && /^\{(\s*type [^,}]+,?)+\s*\} from $/.test(clause);
    if (isOfTypes || name!.startsWith('node:')) continue;
    if (name!.startsWith('.')) findLoaded(join(dirname(file), name!), found);
    else found.add(name!);
  }
  return found;
}

it('loads no part of the service before a command needs it', () => {
  const loaded = [...findLoaded(main)];
  expect(loaded.filter((name) => !existsSync(name))).toEqual(['commander']);
  expect(loaded.length).toBeLessThan(20);
});
