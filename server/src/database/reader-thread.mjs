// The thread behind sqlite-reader.ts: one read-only connection, one statement at a time.
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteFile } from './sqlite-file.ts'

const file = new SqliteFile(workerData.file, { readOnly: true })

parentPort.on('message', ({ id, sql, parameters }) => {
  try {
    const { names, all } = file.prepare(sql)
    parentPort.postMessage({ id, names, rows: all(parameters) })
  } catch (error) {
    parentPort.postMessage({ id, error: { message: error.message, code: error.code } })
  }
})
