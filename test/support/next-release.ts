import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/paths.ts';

interface Edit {
  file: string;
  /** It must occur once. */
  was: string;
  becomes: string;
}

/** `await`, in the bundle, until a timer of a millisecond fires: one more command in the history. */
const oneMoreStep = (workflows: string) => `await (0,${workflows}.sleep)(1);`;
const temporalWorkflow = '_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__';
const bundle = 'workflows/bundle.cjs';

/** Workflows have one more step if their input asks for it. Nothing asks for it yet. */
const understandsStep: Edit[] = [
  {
    file: bundle,
    was: 'async function mutationGroup(mutations) {',
    becomes: `async function mutationGroup(mutations, steps) { if (steps === 2) ${oneMoreStep(temporalWorkflow)}`,
  },
  {
    file: bundle,
    was: 'const delivered = await deliverEvents(input.directoryId);',
    becomes: `if (input.steps === 2) ${oneMoreStep(temporalWorkflow)} const delivered = await deliverEvents(input.directoryId);`,
  },
];

const takesStep: Edit[] = [
  ...understandsStep,
  { file: 'src/temporal/client.js', was: 'args: [mutations],', becomes: 'args: [mutations, 2],' },
  { file: 'src/temporal/client.js', was: '    args: [{ directoryId }],\n});', becomes: '    args: [{ directoryId, steps: 2 }],\n});' },
  { file: bundle, was: '.continueAsNew)(input);', becomes: '.continueAsNew)({ ...input, steps: 2 });' },
];

/** A migration that only adds. */
const adds: Edit = {
  file: 'src/store/migrations/index.js',
  was: '\n};\nexport const migrationNames',
  becomes: `
    '900_next': {
        up: (knex) => knex.schema.raw('alter table users add column next text; alter table all_directories add column next text'),
        down: () => undefined,
    },
};
export const migrationNames`,
};

/** The two releases that change the steps of workflows, made from this build. */
export const releases = { understands: understandsStep, takes: [...takesStep, adds] };

/** Makes another build in the folder, and returns its root. */
export async function makeBuild(root: string, edits: Edit[]): Promise<string> {
  await mkdir(root);
  for (const part of ['src', 'workflows', 'activities'])
    await cp(join(packageRoot, 'dist', part), join(root, 'dist', part), {
      recursive: true,
      filter: (path) => !/\.(map|d\.ts)$/.test(path),
    });
  await cp(join(packageRoot, 'package.json'), join(root, 'package.json'));
  await symlink(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
  for (const { file, was, becomes } of edits) {
    const path = join(root, 'dist', file);
    const parts = (await readFile(path, 'utf8')).split(was);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${was}`);
    await writeFile(path, parts.join(becomes));
  }
  return root;
}
