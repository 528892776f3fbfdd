import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCsvDirectory } from '../support/csv-directory.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const maxFileBytes = 104_857_600;
const megabyte = 1_048_576;
/** Beyond what an upload of a fifth of it needs; the sender is in this process too. */
const maxGrowthMb = 150;

/** Rows of 10 KB, and the last one up to the size of the file. */
async function* createUsersFile(bytes: number) {
  const header = `idp_id,email,note\n`;
  let written = header.length;
  yield header;
  for (let index = 0; written < bytes; index += 1) {
    const start = `u${index},u${index}@acme.example,`;
    const left = bytes - written - start.length - 1;
    // A cell has at most 10,000 characters, and the last row must have room for its other cells.
    const row = `${start}${'n'.repeat(left <= 9_990 ? left : 9_800)}\n`;
    written += row.length;
    yield await Promise.resolve(row);
  }
}

/** A row without an end. */
async function* createEmptyFields(bytes: number) {
  yield 'idp_id,email\n';
  for (let written = 0; written < bytes; written += 65_536) yield await Promise.resolve(','.repeat(65_536));
}

async function upload(directory: { files: string }, text: AsyncGenerator<string>, query = '') {
  const body = ReadableStream.from(text).pipeThrough(new TextEncoderStream());
  const response = await fetch(`${service.baseUrl}${directory.files}?file=users.csv${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' },
    body,
    // Without it, fetch refuses a stream.
    duplex: 'half',
  });
  return { status: response.status, error: ((await response.json()) as { error: ApiError | null }).error };
}

interface ApiError {
  message: string;
  problems?: { line: number }[];
}

async function measureGrowth<Result>(act: () => Promise<Result>): Promise<{ result: Result; growthMb: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
  const result = await act();
  clearInterval(timer);
  return { result, growthMb: (peak - before) / megabyte };
}

it('takes a file of 100 MB with a small part of it in memory, and rejects one byte more', async () => {
  const directory = await createCsvDirectory(service);
  const uploadUsers = (bytes: number) => upload(directory, createUsersFile(bytes), '&more=true');
  expect((await uploadUsers(maxFileBytes / 5)).status).toBe(202);
  const { result, growthMb } = await measureGrowth(() => uploadUsers(maxFileBytes));
  console.log(`Memory while 100 MB arrived: ${growthMb.toFixed(0)} MiB more than after 20 MB (limit ${maxGrowthMb}).`);
  expect(result.status).toBe(202);
  expect(growthMb).toBeLessThan(maxGrowthMb);
  const received = () => service.db('uploaded_files').where({ directory_id: directory.id, state: 'received' }).select('row_count');
  const stored = await received();
  expect(Math.max(...stored.map((file) => file.row_count as number))).toBeGreaterThan(10_000);

  const tooLarge = await uploadUsers(maxFileBytes + 1);
  expect(tooLarge.status).toBe(413);
  expect(tooLarge.error!.message).toContain('DSYNC_CSV_MAX_FILE_BYTES');
  expect(await received()).toEqual(stored);
}, 300_000);

it('says in which line a row has no end, after 50 MB of it, with a small part of it in memory', async () => {
  const directory = await createCsvDirectory(service);
  const { result, growthMb } = await measureGrowth(() => upload(directory, createEmptyFields(maxFileBytes / 2)));
  expect([result.status, result.error?.problems?.map(({ line }) => line)]).toEqual([422, [2]]);
  expect(growthMb).toBeLessThan(maxGrowthMb);
});
