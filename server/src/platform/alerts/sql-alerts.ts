import { createHash } from 'node:crypto'
import { type Database, insertNew, inTransaction } from '../../database/engine.ts'
import { split } from '../calls/instants.ts'
import type { AlertRecord } from '../intake/call-point.ts'
import type { Alerts } from './alerts.ts'

const rowOf = ({ time, extra, ...alert }: AlertRecord) => {
  const { milliseconds: raised_at, nanoseconds: raised_ns } = split(time)
  const rest = Object.keys(extra).length === 0 ? null : JSON.stringify(extra)
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([alert, rest]))
    .digest('hex')
  return { ...alert, raised_at, raised_ns, fingerprint, extra: rest }
}

export const createSqlAlerts = (database: Database): Alerts => ({
  async store(records) {
    await inTransaction(database, (trx) => insertNew(trx, database.engine, 'patchbay_alerts', records.map(rowOf)))
  },
})
