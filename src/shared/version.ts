import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../paths.ts';

export const readVersion = () => (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version;
