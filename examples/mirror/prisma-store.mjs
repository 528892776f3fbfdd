// The same store as postgres-store.mjs, with Prisma. The models are in docs/guides/mirror.md.

/** The models, and what a row of each has. */
const kinds = {
  user: {
    model: 'rollcallUser',
    unique: 'directoryId_id',
    read: ({ id, email, active }) => ({ key: { id }, values: { email, active } }),
    nameOf: ({ id }) => id,
  },
  group: {
    model: 'rollcallGroup',
    unique: 'directoryId_id',
    read: ({ id, name }) => ({ key: { id }, values: { name } }),
    nameOf: ({ id }) => id,
  },
  membership: {
    model: 'rollcallMembership',
    unique: 'directoryId_groupId_userId',
    read: ({ group_id: groupId, user_id: userId }) => ({ key: { groupId, userId }, values: {} }),
    nameOf: ({ groupId, userId }) => JSON.stringify([groupId, userId]),
  },
};

const keysOf = (rows) => rows.map(({ key }) => key);

/** `prisma` is a `PrismaClient`. */
export async function openPrismaStore(prisma, directoryId) {
  await prisma.rollcallMirror.upsert({ where: { directoryId }, create: { directoryId }, update: {} });

  return {
    async readCursor() {
      const mirror = await prisma.rollcallMirror.findUnique({ where: { directoryId } });
      return mirror?.cursor ?? undefined;
    },

    async beginSnapshot(snapshotId) {
      await prisma.rollcallMirror.update({ where: { directoryId }, data: { snapshotId, cursor: null } });
    },

    writeSnapshot: (snapshotId, rows) =>
      transactionIf({ snapshotId }, { snapshotId }, async (tx) => {
        for (const [type, kind] of Object.entries(kinds)) {
          const ofType = rows.filter((row) => row.type === type);
          await writePage(
            tx,
            kind,
            ofType.map(({ data }) => kind.read(data)),
            snapshotId,
          );
        }
      }),

    endSnapshot: (snapshotId, cursor) =>
      transactionIf({ snapshotId }, { cursor }, async (tx) => {
        const gone = { where: { directoryId, OR: [{ snapshotId: null }, { snapshotId: { not: snapshotId } }] } };
        await tx.rollcallMembership.deleteMany(gone);
        await tx.rollcallUser.deleteMany(gone);
        await tx.rollcallGroup.deleteMany(gone);
      }),

    applyEvents: (events, { from, to }) =>
      transactionIf({ cursor: from }, { cursor: to }, async (tx) => {
        for (const event of events) await apply(tx, event);
      }),
  };

  /** `updateMany` both compares the progress and locks its row until the commit. */
  function transactionIf(expected, change, work) {
    return prisma.$transaction(
      async (tx) => {
        const { count } = await tx.rollcallMirror.updateMany({ where: { directoryId, ...expected }, data: change });
        if (count === 1) await work(tx);
        return count === 1;
      },
      { timeout: 60_000 },
    );
  }

  async function apply(tx, { event, data }) {
    switch (event) {
      case 'user.created':
      case 'user.updated':
      case 'user.deactivated':
      case 'user.reactivated':
        return write(tx, kinds.user, kinds.user.read(data));
      case 'user.deleted':
        await tx.rollcallMembership.deleteMany({ where: { directoryId, userId: data.id } });
        return tx.rollcallUser.deleteMany({ where: { directoryId, id: data.id } });
      case 'group.created':
      case 'group.updated':
        return write(tx, kinds.group, kinds.group.read(data));
      case 'group.deleted':
        await tx.rollcallMembership.deleteMany({ where: { directoryId, groupId: data.id } });
        return tx.rollcallGroup.deleteMany({ where: { directoryId, id: data.id } });
      case 'group.user_added':
        return write(tx, kinds.membership, { key: { groupId: data.group.id, userId: data.id }, values: {} });
      case 'group.user_removed':
        return tx.rollcallMembership.deleteMany({ where: { directoryId, groupId: data.group.id, userId: data.id } });
      default:
        return undefined;
    }
  }

  /** Most rows are new at the first snapshot, and unchanged at a later one: these take one statement each way, however many they are. */
  async function writePage(tx, kind, rows, snapshotId) {
    if (rows.length === 0) return;
    const { model, nameOf } = kind;
    const stored = await tx[model].findMany({ where: { directoryId, OR: keysOf(rows) } });
    const known = new Map(stored.map((row) => [nameOf(row), row]));
    const [created, unchanged, changed] = [[], [], []];
    for (const row of rows) {
      const before = known.get(nameOf(row.key));
      if (!before) created.push(row);
      else if (Object.entries(row.values).every(([name, value]) => before[name] === value)) unchanged.push(row);
      else changed.push(row);
    }
    if (created.length > 0)
      await tx[model].createMany({ data: created.map(({ key, values }) => ({ directoryId, ...key, ...values, snapshotId })) });
    if (unchanged.length > 0) await tx[model].updateMany({ where: { directoryId, OR: keysOf(unchanged) }, data: { snapshotId } });
    for (const row of changed) await write(tx, kind, row, { snapshotId });
  }

  /** Events have no `mark`, and keep that of a snapshot. */
  function write(tx, { model, unique }, { key, values }, mark = {}) {
    const change = { ...values, ...mark };
    const whole = { directoryId, ...key };
    return tx[model].upsert({ where: { [unique]: whole }, create: { ...whole, ...change }, update: change });
  }
}
