type Row = Record<string, unknown>;
type Where = Row & { OR?: Row[] };

/** The few methods of a Prisma client that the example of a store calls, over arrays. */
export function createFakePrisma() {
  const tables: Record<string, Row[]> = {};
  const names = ['rollcallMirror', 'rollcallUser', 'rollcallGroup', 'rollcallMembership'];
  for (const name of names) tables[name] = [];
  let statements = 0;
  const counted = (methods: object) =>
    new Proxy(methods, {
      get(target, method, receiver) {
        statements += 1;
        return Reflect.get(target, method, receiver) as unknown;
      },
    });
  const models = Object.fromEntries(names.map((name) => [name, counted(model(tables[name]!))]));
  const client = { ...models, $transaction: (work: (tx: object) => Promise<unknown>) => work(models) };
  return { client, tables, rows: () => structuredClone(tables), statements: () => statements };
}

function model(rows: Row[]) {
  const find = (where: Where) => rows.filter((row) => matches(row, where));
  const update = (found: Row[], data: Row) => found.map((row) => Object.assign(row, data)).length;
  return {
    findUnique: ({ where }: { where: Row }) => Promise.resolve(find(where)[0]),
    findMany: ({ where }: { where: Where }) => Promise.resolve(structuredClone(find(where))),
    createMany({ data }: { data: Row[] }) {
      for (const row of data) rows.push({ cursor: null, snapshotId: null, ...row });
      return Promise.resolve();
    },
    update: ({ where, data }: { where: Row; data: Row }) => Promise.resolve(update(find(where), data)),
    updateMany: ({ where, data }: { where: Row; data: Row }) => Promise.resolve({ count: update(find(where), data) }),
    upsert({ where, create, update: change }: { where: Row; create: Row; update: Row }) {
      const [inner] = Object.values(where);
      const found = find(typeof inner === 'object' ? (inner as Row) : where);
      if (found.length > 0) update(found, change);
      else rows.push({ cursor: null, snapshotId: null, ...create });
      return Promise.resolve();
    },
    deleteMany({ where }: { where: Where }) {
      for (const row of find(where)) rows.splice(rows.indexOf(row), 1);
      return Promise.resolve();
    },
  };
}

function matches(row: Row, { OR, ...where }: Where): boolean {
  const isWanted = Object.entries(where).every(([name, wanted]) =>
    // As in SQL, null differs from nothing.
    typeof wanted === 'object' && wanted !== null
      ? row[name] !== null && row[name] !== (wanted as { not: unknown }).not
      : row[name] === wanted,
  );
  return isWanted && (OR === undefined || OR.some((one) => matches(row, one)));
}
