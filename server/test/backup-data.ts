import { DatabaseSync } from 'node:sqlite'
import type { DatabaseAddress } from '@patchbay/server/config/option-types'
import type { Column, Table } from '@patchbay/server/database/columns'
import { quotedName } from '@patchbay/server/database/engine'
import { ownTables } from '@patchbay/server/database/patchbay-schema'
import { platformTables } from '@patchbay/server/database/platform-schema'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import mysql from 'mysql2/promise'

/** Rows with difficult values for every table, written and read with the drivers of the databases. */

type Row = Record<string, unknown>

const tables = Object.entries<Table>({ ...platformTables, ...ownTables })
const notBackedUp = new Set(['patchbay_audit_latest', 'patchbay_backups'])
const skipped = new Set(['patchbay_settings', 'patchbay_audit_latest'])

/** A restored server builds the index of transcripts again. */
const rebuilt = new Set(['patchbay_transcripts.index_version'])

const random = createRandom(20)

const everyByte = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte))
const difficultText = 'Ünï "q" \\ 📞\n\t'

/** Row 0 has NULL where it is allowed, row 1 has extreme values, and later ones are ordinary. */
const createValue = ({ kind, nullable, unique, primary }: Column, nth: number, isDate: (text: string) => string) => {
  if (nth === 0 && nullable) return null
  const isKey = unique || primary
  switch (kind.is) {
    case 'sid':
      return random.uuid()
    case 'text':
      return nth === 1 && !isKey && kind.max >= 40 ? difficultText : random.hex(Math.min(kind.max, 20))
    case 'longText':
      return nth === 1 ? `${difficultText.repeat(1000)}{"json":true}` : '[]'
    case 'bytes':
      return nth === 1 ? everyByte : Buffer.from(random.hex(10))
    case 'flag':
      return nth % 2
    case 'integer':
      return nth === 1 ? -2_147_483_648 : random.below(2 ** 31)
    case 'bigInteger':
      return nth === 1 ? 9_007_199_254_740_993n : random.below(2 ** 50)
    case 'real':
      return nth === 1 ? 0.1 + 0.2 : random.roll() * 1e9
    case 'oneOf':
      return kind.values[nth % kind.values.length]
    case 'dateTime':
    case 'timestamp':
      return isDate(`2026-0${(nth % 9) + 1}-11T12:34:56.000Z`)
  }
}

interface Connection {
  run(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** The driver adds up the digits of a number, and can miss the closest one by the last bit. */
const readExactly: mysql.TypeCast = (field, next) => {
  if (field.type !== 'DOUBLE') return next()
  const text = field.string()
  return text === null ? null : Number(text)
}

const connect = async (address: DatabaseAddress): Promise<Connection> => {
  if (address.engine === 'sqlite') {
    const file = new DatabaseSync(address.file, { timeout: 5000 })
    file.exec('PRAGMA foreign_keys = OFF')
    return {
      run: (text, values = []) => {
        const statement = file.prepare(text)
        statement.setReadBigInts(true)
        return Promise.resolve(statement.all(...(values as string[])))
      },
      close: () => Promise.resolve(file.close()),
    }
  }
  const options = {
    uri: address.url,
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    typeCast: readExactly,
  }
  const connection = await mysql.createConnection(options)
  await connection.query("SET foreign_key_checks = 0, time_zone = '+00:00'")
  return {
    run: async (text, values = []) => (await connection.query<mysql.RowDataPacket[]>(text, values))[0],
    close: () => connection.end(),
  }
}

/** Inserts rows into every table, except settings. References are not checked. */
export const fillEveryTable = async (address: DatabaseAddress, rowsPerTable = 4): Promise<void> => {
  const { engine } = address
  const connection = await connect(address)
  const toDate = (text: string) => (engine === 'mysql' ? text.slice(0, 19).replace('T', ' ') : text)
  for (const [name, { columns }] of tables) {
    if (skipped.has(name)) continue
    for (let nth = 0; nth < rowsPerTable; nth += 1) {
      const values = Object.values(columns).map((column) => createValue(column, nth, toDate))
      const list = Object.keys(columns).map((column) => quotedName(engine, column))
      const text = `INSERT INTO ${quotedName(engine, name)} (${list.join(', ')}) VALUES (${list.map(() => '?').join(', ')})`
      await connection.run(text, values)
    }
  }
  await connection.close()
}

const toComparable = (value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value)
    ? `${value.replace(' ', 'T')}.000Z`
    : value
}

/** Returns all rows of every table that backups contain as sorted JSON. Both engines return the same text for the same content. */
export const readEveryTable = async (address: DatabaseAddress): Promise<Record<string, string[]>> => {
  const connection = await connect(address)
  const content: Record<string, string[]> = {}
  for (const [name, { columns }] of tables) {
    if (notBackedUp.has(name)) continue
    const names = Object.keys(columns).filter((column) => !rebuilt.has(`${name}.${column}`))
    const list = names.map((column) => quotedName(address.engine, column))
    const rows = await connection.run(`SELECT ${list.join(', ')} FROM ${quotedName(address.engine, name)}`)
    content[name] = rows.map((row) => JSON.stringify(names.map((column) => toComparable(row[column])))).toSorted()
  }
  await connection.close()
  return content
}
