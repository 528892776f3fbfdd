import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createCsvDirectory, type FileTexts, type People, toFiles } from '../support/csv-directory.ts';
import type { DirectService } from '../support/direct-service.ts';
import { changed } from '../support/pulled-directories.ts';
import { startSyncService } from '../support/start-with-provider.ts';
import { until } from '../support/until.ts';

let service: DirectService;
beforeAll(async () => {
  service = await startSyncService({});
});
afterAll(() => service.stop());

const people = (): People => ({
  users: new Map([
    ['u1', { email: 'ada@acme.example', active: true, department: 'Research' }],
    ['u2', { email: 'ben@acme.example', active: false }],
  ]),
  groups: new Map([['g1', 'Team']]),
  members: new Set(['g1 u1', 'g1 u2']),
});

const users = (...lines: string[]): FileTexts => ({ 'users.csv': ['idp_id,email', ...lines, ''].join('\n') });

describe('a set of files', () => {
  it('is one sync run, which tells each user, group and membership once', async () => {
    const directory = await createCsvDirectory(service);
    const { status, body } = await directory.upload(toFiles(people()));
    expect([status, body.data]).toEqual([
      202,
      { run_id: expect.any(String), complete: true, dry_run: false, users: 2, groups: 1, memberships: 2 },
    ]);
    const run = await directory.untilEnded(body.data.run_id);
    expect(run).toMatchObject({ state: 'succeeded', trigger: 'upload', failed: 0, error: null });
    expect(run.changed).toEqual(changed({ users: [2, 0, 0], groups: [1, 0, 0], members: [2, 0] }));
    expect(await directory.expectSame(people())).toEqual([
      'group.created',
      'group.user_added',
      'group.user_added',
      'user.created',
      'user.created',
    ]);
    expect((await directory.get()).health).toMatchObject({ status: 'healthy', sync: { run_id: run.id, state: 'succeeded' } });
  });

  it('that is the same again tells nothing, and one with changes tells only these', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(toFiles(people()));
    await directory.newEvents();
    expect((await directory.sync(toFiles(people(), ';'))).changed).toEqual(changed());
    expect(await directory.newEvents()).toEqual([]);
    const later = people();
    later.users.set('u1', { email: 'ada@acme.example', active: true, department: 'Sales' });
    later.members.delete('g1 u2');
    await directory.sync(toFiles(later));
    const events = await directory.newEvents();
    expect(events.map(({ event }) => event)).toEqual(['group.user_removed', 'user.updated']);
    expect(events[1]!.data.raw).toEqual({
      id: expect.any(String),
      idp_id: 'u1',
      email: 'ada@acme.example',
      first_name: 'Name of u1',
      active: 'true',
      department: 'Sales',
      externalId: 'u1',
    });
  });

  it('leaves no rows behind once its run has succeeded', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(toFiles(people()));
    for (const table of ['uploaded_rows', 'uploaded_members', 'uploaded_files', 'file_sets'])
      await until(async () => (await service.db(table).where({ directory_id: directory.id })).length === 0);
    const { status, body } = await directory.requestSync();
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('No files')]);
  });

  it('may come file by file, and is read when it is complete', async () => {
    const directory = await createCsvDirectory(service);
    const files = toFiles(people());
    for (const name of ['user_groups.csv', 'groups.csv']) {
      const { status, body } = await directory.uploadOne(name, files[name]!, { query: '&more=true' });
      expect([status, body.data.complete, body.data.run_id]).toEqual([202, false, null]);
    }
    const { body } = await directory.uploadOne('users.csv', files['users.csv']!);
    expect(body.data).toMatchObject({ complete: true, users: 2, groups: 1, memberships: 2 });
    expect((await directory.untilEnded(body.data.run_id)).state).toBe('succeeded');
    await directory.expectSame(people());
  });
});

describe('a dry run', () => {
  it('says what a run would change, and changes nothing', async () => {
    const directory = await createCsvDirectory(service);
    const run = await directory.sync(toFiles(people()), '?dry_run=true');
    expect(run).toMatchObject({ state: 'canceled', error: { code: 'dry_run' } });
    expect([run.planned, run.changed]).toEqual([changed({ users: [2, 0, 0], groups: [1, 0, 0], members: [2, 0] }), changed()]);
    expect(await directory.newEvents()).toEqual([]);
    expect((await directory.requestSync()).status).toBe(400);
  });
});

it('a file of a set that follows takes no dry run', async () => {
  const directory = await createCsvDirectory(service);
  const { status, body } = await directory.uploadOne('users.csv', 'idp_id,email\n1,a@b.example\n', { query: '&more=true&dry_run=true' });
  expect([status, body.error.field]).toEqual([400, 'dry_run']);
});

it('leaves no rows behind of files with problems', async () => {
  const directory = await createCsvDirectory(service);
  expect((await directory.upload(users('1,a@b.example', '2,nobody'))).status).toBe(422);
  for (const table of ['uploaded_rows', 'uploaded_files'])
    expect(await service.db(table).where({ directory_id: directory.id })).toEqual([]);
});

const many = (from: number, to: number): FileTexts =>
  users(...Array.from({ length: to - from }, (_, index) => `u${from + index},u${from + index}@acme.example`));

describe('the removal guard', () => {
  it('stops a set that lacks many users, until a person confirms the run', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(many(0, 40));
    await directory.newEvents();
    const guarded = await directory.sync(many(0, 20));
    expect(guarded).toMatchObject({ state: 'needs_confirmation', error: { message: expect.stringContaining('20 of 40 users') } });
    expect((await directory.get()).health.status).toBe('needs_confirmation');
    expect(await directory.newEvents()).toEqual([]);
    const confirmed = await directory.confirm(guarded.id);
    expect(confirmed).toMatchObject({ state: 'succeeded', changed: changed({ users: [0, 0, 20] }) });
    expect(await directory.countNewEvents()).toEqual({ 'user.deleted': 20 });
  });

  it('takes no confirmation of a run whose files were replaced', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(many(0, 40));
    const guarded = await directory.sync(many(0, 20));
    const later = await directory.sync(many(20, 40));
    const { status, body } = await directory.requestSync(`?confirm=${guarded.id}`);
    expect([status, body.error.field]).toEqual([400, 'confirm']);
    expect((await directory.confirm(later.id)).changed).toEqual(changed({ users: [0, 0, 20] }));
  });

  it('discards the files of a run that is refused', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(many(0, 40));
    const guarded = await directory.sync(many(0, 20));
    expect((await directory.cancel(guarded.id)).body.data.error.code).toBe('refused');
    expect((await directory.requestSync()).body.error.message).toMatch(/^No files wait/);
    expect((await directory.sync(many(0, 41))).changed).toEqual(changed({ users: [1, 0, 0] }));
    for (const table of ['uploaded_rows', 'file_sets'])
      await until(async () => (await service.db(table).where({ directory_id: directory.id })).length === 0);
  });

  it('cannot be refused while another run is to read the files', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(many(0, 40));
    const guarded = await directory.sync(many(0, 20));
    const otherId = await service.db.transaction(async (trx) => {
      // The other run cannot stage what it reads, so it is still in progress.
      await trx.raw('lock table sync_users in exclusive mode');
      const { id } = (await directory.requestSync()).body.data;
      const { status, body } = await directory.cancel(guarded.id);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(id)]);
      expect((await directory.cancel(id)).status).toBe(202);
      return id;
    });
    expect((await directory.untilEnded(otherId)).state).toBe('canceled');
    expect((await directory.cancel(guarded.id)).status).toBe(202);
  });

  it('is refused without a run of files that came later', async () => {
    const directory = await createCsvDirectory(service, { quotas: { users: 40 } });
    await directory.sync(many(0, 40));
    const guarded = await directory.sync(many(0, 20));
    const later = await directory.sync(many(0, 41));
    expect(later.state).toBe('failed');
    expect((await directory.cancel(guarded.id)).status).toBe(202);
    expect(await directory.runs()).toHaveLength(3);
    // The later files are still there.
    expect((await directory.requestSync()).status).toBe(202);
  });

  it('is named by a dry run', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(many(0, 40));
    const run = await directory.sync(many(0, 20), '?dry_run=true');
    expect(run.error).toEqual({ code: 'dry_run', message: expect.stringContaining('would remove 20 of 40 users') });
  });
});

describe('a set that is incomplete', () => {
  it.each([
    ['no users.csv', { 'groups.csv': 'idp_id,name\n', 'user_groups.csv': 'user_id,group_id\n' }, 'users.csv'],
    ['groups.csv alone', { ...users('1,a@b.example'), 'groups.csv': 'idp_id,name\n' }, 'user_groups.csv'],
    ['user_groups.csv alone', { ...users('1,a@b.example'), 'user_groups.csv': 'user_id,group_id\n' }, 'groups.csv'],
  ])('is rejected: %s', async (_, files, field) => {
    const directory = await createCsvDirectory(service);
    const { status, body } = await directory.upload(files);
    expect([status, body.error.code, body.error.field]).toEqual([400, 'invalid_request', field]);
    expect(await directory.runs()).toEqual([]);
  });

  it('leaves the groups alone: without groups.csv it is rejected if the directory has groups', async () => {
    const directory = await createCsvDirectory(service);
    await directory.sync(toFiles(people()));
    const { status, body } = await directory.upload(users('u1,ada@acme.example', 'u2,ben@acme.example'));
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('groups.csv')]);
    await directory.expectSame(people());
  });
});
