import { sql } from 'kysely'
import { hasTable, type Migration } from './statements.ts'

/** Replaces the first version of the audit trail, which had random IDs and an index of times. */

const fields = [
  'action',
  'kind',
  'sid',
  'name',
  'account_sid',
  'service_provider_sid',
  'actor',
  'actor_sid',
  'actor_name',
  'actor_scope',
  'address',
  'request_id',
  'changes',
  'reason',
  'times',
]

export const up: Migration = async (context) => {
  const { db } = context
  if (!(await hasTable(context, 'patchbay_audit'))) return
  // Each entry gets its own time, or the moment after the previous entry. An interrupted move is repeated.
  await sql`DELETE FROM patchbay_audit_trail`.execute(db)
  const names = sql.raw(fields.join(', '))
  await sql`
    INSERT INTO patchbay_audit_trail (moment, ${names})
    SELECT place + MAX(at * 1000 - place) OVER (ORDER BY place), ${names}
    FROM (SELECT ROW_NUMBER() OVER (ORDER BY at, turn, entry_sid) AS place, at, ${names} FROM patchbay_audit) AS entries
  `.execute(db)
  await sql`DROP TABLE patchbay_audit`.execute(db)
}
