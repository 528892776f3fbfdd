import { join } from 'node:path';
import { packageRoot } from '../../src/paths.ts';
import { installPackages } from './install.ts';

const folder = 'bench/ancestor';

export const ancestorCommand = [process.execPath, join(packageRoot, folder, 'server.mjs')];

export const installAncestor = (): void => installPackages(folder, ', or measure with `--only rollcall`');
