/**
 * SQL that deletes the documents `d` of a condition. It skips locked ones: a change is about to refer to them again. So it never waits for a
 * change, which locks documents in the order of its events, and the two can't deadlock. Retention deletes what was skipped.
 */
export const dropDocumentsSql = (joinAndWhere: string) => `
  delete from event_documents where (directory_id, id) in (
    select d.directory_id, d.id from event_documents d ${joinAndWhere} for update of d skip locked)`;
