import type { Act } from '../audit/act.ts';
import { recordAct } from '../store/audit/record-act.ts';
import { openDatabase, type Pooler } from '../store/database.ts';
import { readSchemaState } from '../store/migrations/migrate.ts';

/** A database of the release before has no audit log. */
export async function recordCommand(url: string, act: Act, pooler?: Pooler): Promise<void> {
  const db = openDatabase(url, { pooler, poolSize: 1 });
  try {
    const schema = await readSchemaState(db);
    if (schema === 'known' || schema === 'newer') await recordAct(db, act);
  } finally {
    await db.destroy();
  }
}
