import { ownRecordTables, recordTables } from '@patchbay/contract/api/record-tables'
import type { DependentTable, RecordTable } from '@patchbay/contract/shared/record-table'
import { expect, test } from 'vitest'
import type { Table } from './columns.ts'
import { ownTables } from './patchbay-schema.ts'
import { platformTables } from './platform-schema.ts'

/** Compares the references that the contract declares with the schema of the platform. */

const schema: Readonly<Record<string, Table>> = platformTables
const declared: readonly RecordTable[] = recordTables

test('the contract declares every foreign key of the platform, and no other', () => {
  const foreignKeys = Object.entries(schema).flatMap(([table, { columns }]) =>
    Object.entries(columns).flatMap(([column, { references }]) =>
      references ? [`${table}.${column} to ${references.table}${references.cascade ? ', cascades' : ''}`] : [],
    ),
  )
  const references = declared.flatMap(({ table, references: byColumn }) =>
    Object.entries(byColumn).flatMap(([column, { to, onDelete, withoutForeignKey }]) =>
      withoutForeignKey ? [] : [`${table}.${column} to ${to}${onDelete === 'database' ? ', cascades' : ''}`],
    ),
  )
  expect(references.toSorted()).toEqual(foreignKeys.toSorted())
})

test('references without a foreign key name existing columns and tables, and do not rely on the database', () => {
  const all: readonly DependentTable[] = [...recordTables, ...ownRecordTables]
  const tables: Readonly<Record<string, Table>> = { ...platformTables, ...ownTables }
  const references = all.flatMap(({ table, references: byColumn }) =>
    Object.entries(byColumn).flatMap(([column, reference]) =>
      reference.withoutForeignKey ? [{ table, column, ...reference }] : [],
    ),
  )
  expect(references).not.toEqual([])
  for (const { table, column, to, onDelete } of references) {
    expect(tables[table]?.columns).toHaveProperty(column)
    expect(tables).toHaveProperty(to)
    expect(onDelete).not.toBe('database')
  }
})

test('every table is declared with its key and name, and as optional if some installations lack it', () => {
  for (const { table, key, name = key, isOptional = false } of declared) {
    const definition = schema[table]
    expect(definition?.columns[key]?.primary).toBe(true)
    expect(definition?.columns).toHaveProperty(name)
    expect([table, isOptional]).toEqual([table, definition?.optional])
  }
})
