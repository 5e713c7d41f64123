// The thread behind sqlite-reader.ts: one read-only connection, one statement at a time.
import Sqlite from 'better-sqlite3'
import { parentPort, workerData } from 'node:worker_threads'

const connection = new Sqlite(workerData.file, { readonly: true })
connection.pragma('busy_timeout = 5000')
const prepared = new Map()

const statement = (sql) => {
  const known = prepared.get(sql)
  if (known) return known
  if (prepared.size >= 200) prepared.clear()
  const asked = connection.prepare(sql).raw(true)
  const made = { asked, names: asked.columns().map(({ name }) => name) }
  prepared.set(sql, made)
  return made
}

parentPort.on('message', ({ id, sql, parameters }) => {
  try {
    const { asked, names } = statement(sql)
    parentPort.postMessage({ id, names, rows: asked.all(...parameters) })
  } catch (error) {
    parentPort.postMessage({ id, error: { message: error.message, code: error.code } })
  }
})
