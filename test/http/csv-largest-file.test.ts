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

it('takes a file of 100 MB with a small part of it in memory, and rejects one byte more', async () => {
  const directory = await createCsvDirectory(service);
  const upload = async (bytes: number) => {
    const body = ReadableStream.from(createUsersFile(bytes)).pipeThrough(new TextEncoderStream());
    const response = await fetch(`${service.baseUrl}${directory.files}?file=users.csv&more=true`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' },
      body,
      // Without it, fetch refuses a stream.
      duplex: 'half',
    } as RequestInit);
    return { status: response.status, body: (await response.json()) as { error: { message: string } | null } };
  };

  expect((await upload(maxFileBytes / 5)).status).toBe(202);
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50);
  const { status } = await upload(maxFileBytes);
  clearInterval(timer);
  const growthMb = (peak - before) / megabyte;
  console.log(`Memory while 100 MB arrived: ${growthMb.toFixed(0)} MiB more than after 20 MB (limit ${maxGrowthMb}).`);
  expect(status).toBe(202);
  expect(growthMb).toBeLessThan(maxGrowthMb);
  const received = () => service.db('uploaded_files').where({ directory_id: directory.id, state: 'received' }).select('row_count');
  const stored = await received();
  expect(Math.max(...stored.map((file) => file.row_count as number))).toBeGreaterThan(10_000);

  const tooLarge = await upload(maxFileBytes + 1);
  expect(tooLarge.status).toBe(413);
  expect(tooLarge.body.error!.message).toContain('DSYNC_CSV_MAX_FILE_BYTES');
  expect(await received()).toEqual(stored);
});
