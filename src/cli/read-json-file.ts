import { readFile } from 'node:fs/promises';
import { UsageError } from './errors.ts';

/** Reads the file of the option `--file`. `sample` is a name for the example in errors. */
export async function readJsonFile<Content>(file: string, sample: string): Promise<Content> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`Cannot read --file ${file} (${error.code}). Example: --file ${sample}`);
  });
  try {
    return JSON.parse(text) as Content;
  } catch {
    throw new UsageError(`--file ${file} is not valid JSON. Example: --file ${sample}`);
  }
}
