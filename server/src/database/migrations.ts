import type { Kysely } from 'kysely'
import { dirname } from 'node:path'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Table } from './columns.ts'
import { sumDays } from './call-day-counts.ts'
import { countHours } from './call-hour-counts.ts'
import { createIndex, createTables, dropIndex } from './ddl.ts'
import { type Database, type EngineName, classifyDbError, openDatabase } from './engine.ts'
import type { DatabaseAddress } from '../config/option-types.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { FatalError } from '../lib/cli.ts'
import { makeDataFolder } from '../config/data-directory.ts'
import { moveAuditEntries } from './audit-tables.ts'
import { ownTables } from './patchbay-schema.ts'
import { platformTables } from './platform-schema.ts'
import { sqliteReader } from './sqlite-reader.ts'
import type { Tables } from './tables.ts'

/** Why a database cannot be used; the text is for the operator. */
export class UnusableDatabase extends FatalError {}

type Present = ReadonlyMap<string, ReadonlySet<string>>

const presentTables = async (db: Kysely<Tables>): Promise<Present> => {
  const tables = await db.introspection.getTables()
  return new Map(tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]))
}

/** Names of what the platform's tables lack, of what is not optional. */
const missing = (present: Present): string[] =>
  Object.entries<Table>(platformTables).flatMap(([name, { columns, optional }]) => {
    const has = present.get(name)
    if (has === undefined) return optional ? [] : [`table ${name}`]
    const lacking = Object.entries(columns).filter(([column, definition]) => !definition.optional && !has.has(column))
    return lacking.map(([column]) => `column ${name}.${column}`)
  })

/** Optional tables, and columns of tables that are there, which this database does not have. */
const lackingOptional = (present: Present): Set<string> => {
  const missingSchema = new Set<string>()
  for (const [name, { columns }] of Object.entries<Table>(platformTables)) {
    const has = present.get(name)
    if (has === undefined) missingSchema.add(name)
    else for (const column of Object.keys(columns)) if (!has.has(column)) missingSchema.add(`${name}.${column}`)
  }
  return missingSchema
}

/**
 * A database that already holds the platform's tables is adopted: nothing in it is altered or dropped, and what is
 * missing stops the start with its name.
 */
const platformSchema = (engine: EngineName, adopted: boolean): Migration => ({
  up: async (db) => {
    if (!adopted) await createTables(db, engine, platformTables)
  },
})

const ownSchema = (engine: EngineName): Migration => {
  const {
    patchbay_call_hours: _hours,
    patchbay_audit_trail: _audit,
    patchbay_audit_latest: _latest,
    patchbay_reset_links: _links,
    patchbay_trace_parts: _traces,
    patchbay_log_parts: _logs,
    patchbay_sip_messages: _captures,
    patchbay_call_days: _days,
    patchbay_call_delays: _delays,
    patchbay_alert_destinations: _destinations,
    patchbay_alert_deliveries: _deliveries,
    patchbay_registrations: _registrations,
    patchbay_billing: _billing,
    patchbay_billing_events: _events,
    patchbay_sign_in_links: _signInLinks,
    patchbay_link_tickets: _tickets,
    patchbay_realm_records: _realmRecords,
    patchbay_account_usage: _usage,
    ...first
  } = ownTables
  return { up: (db) => createTables(db, engine, first) }
}

/** What a search of call records reads: with it, a text is looked for without touching the records themselves. */
const searched = ['attempted_at', 'from', 'to', 'call_sid']

/** Totals are kept rather than counted, and searches have indexes of their own. */
const callHours = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { patchbay_call_hours } = ownTables
    await createTables(db, engine, { patchbay_call_hours })
    await createIndex(db, engine, 'patchbay_calls', 'patchbay_calls_search', ['account_sid', ...searched])
    await createIndex(db, engine, 'patchbay_calls', 'patchbay_calls_search_sp', ['service_provider_sid', ...searched])
    await countHours(db, engine)
  },
})

const auditTrail = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_audit_trail: ownTables.patchbay_audit_trail }),
})

/** The audit trail's first table had ids at random, and an index of times. */
const auditByTime = (engine: EngineName): Migration => ({
  up: async (db) => {
    if (!(await presentTables(db)).has('patchbay_audit')) return
    await createTables(db, engine, { patchbay_audit_trail: ownTables.patchbay_audit_trail })
    await moveAuditEntries(db)
  },
})

/** What is written inside this process goes to a table without indexes first. */
const auditLatest = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { patchbay_audit_latest } = ownTables
    if (engine === 'sqlite') await createTables(db, engine, { patchbay_audit_latest })
  },
})

const resetLinks = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_reset_links: ownTables.patchbay_reset_links }),
})

const registrations = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_registrations: ownTables.patchbay_registrations }),
})

const signInProviders = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_sign_in_links, patchbay_link_tickets, patchbay_realm_records } = ownTables
    return createTables(db, engine, { patchbay_sign_in_links, patchbay_link_tickets, patchbay_realm_records })
  },
})

/** What lists of phone numbers are narrowed and ordered by; an adopted table is left as it is. */
const listedNumbers = (engine: EngineName, adopted: boolean): Migration => ({
  up: async (db) => {
    if (adopted) return
    const order = ['number', 'voip_carrier_sid', 'phone_number_sid']
    const listed = [...order, 'account_sid', 'service_provider_sid']
    const ofAccount = ['account_sid', ...order, 'service_provider_sid']
    await createIndex(db, engine, 'phone_numbers', 'patchbay_phone_numbers_listed', listed)
    await createIndex(db, engine, 'phone_numbers', 'patchbay_phone_numbers_of_account', ofAccount)
  },
})

/**
 * What lists of alerts read: all that they count, order and find a page by. They take the place of two indexes that
 * begin as they do.
 */
const listedAlerts = (engine: EngineName): Migration => ({
  up: async (db) => {
    const listed = ['raised_at', 'raised_ns', 'fingerprint', 'alert_type']
    for (const [owner, old] of [
      ['account_sid', 'patchbay_alerts_idx_2'],
      ['service_provider_sid', 'patchbay_alerts_idx_3'],
    ] as const) {
      await createIndex(db, engine, 'patchbay_alerts', `patchbay_alerts_${owner}`, [owner, ...listed])
      await dropIndex(db, engine, 'patchbay_alerts', old)
    }
  },
})

/** By what the platform's other stores know a call: its trace, and its captured SIP. */
const callIds = (engine: EngineName): Migration => ({
  up: async (db) => {
    await createIndex(db, engine, 'patchbay_calls', 'patchbay_calls_trace', ['trace_id'])
    await createIndex(db, engine, 'patchbay_calls', 'patchbay_calls_sip', ['sip_callid'])
  },
})

const traces = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_trace_parts: ownTables.patchbay_trace_parts }),
})

const logs = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_log_parts: ownTables.patchbay_log_parts }),
})

/** SIP is shown to those whose call it is, and a call from which another was made may have no record of its own. */
const captures = (engine: EngineName): Migration => ({
  up: async (db) => {
    await createTables(db, engine, { patchbay_sip_messages: ownTables.patchbay_sip_messages })
    await createIndex(db, engine, 'patchbay_calls', 'patchbay_calls_parent', ['sip_parent_callid'])
  },
})

const callDays = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { patchbay_call_days, patchbay_call_delays } = ownTables
    await createTables(db, engine, { patchbay_call_days, patchbay_call_delays })
    await sumDays(db, engine)
  },
})

const alertDestinations = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_alert_destinations, patchbay_alert_deliveries } = ownTables
    return createTables(db, engine, { patchbay_alert_destinations, patchbay_alert_deliveries })
  },
})

/** What mails have been sent to goes on getting them, and each says how to stop it; what never got any is asked first. */
export const confirmMailed = async (db: Kysely<Tables>): Promise<void> => {
  const mailed = await db
    .selectFrom('patchbay_alert_destinations as destination')
    .leftJoin('patchbay_alert_addresses as known', 'known.alert_destination_sid', 'destination.alert_destination_sid')
    .select(['destination.alert_destination_sid', 'destination.target', 'destination.last_delivered_at'])
    .where('destination.kind', '=', 'email')
    .where('destination.last_delivered_at', 'is not', null)
    .where('known.alert_destination_sid', 'is', null)
    .execute()
  for (const { alert_destination_sid, target, last_delivered_at } of mailed)
    await db
      .insertInto('patchbay_alert_addresses')
      .values({ alert_destination_sid, target, link_until: 0, confirmed_at: last_delivered_at })
      .execute()
}

const alertAddresses = (engine: EngineName): Migration => ({
  up: async (db: Kysely<Tables>) => {
    await createTables(db, engine, { patchbay_alert_addresses: ownTables.patchbay_alert_addresses })
    await confirmMailed(db)
  },
})

const billing = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_billing, patchbay_billing_events } = ownTables
    return createTables(db, engine, { patchbay_billing, patchbay_billing_events })
  },
})

const accountUsage = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_account_usage: ownTables.patchbay_account_usage }),
})

/** On MySQL each statement of a migration is committed on its own, so each may be run again after a kill. */
const provider = (engine: EngineName, adopted: boolean): MigrationProvider => ({
  getMigrations: () =>
    Promise.resolve({
      '2026-11-21-platform-schema': platformSchema(engine, adopted),
      '2026-11-21-own-schema': ownSchema(engine),
      '2026-11-22-call-hours': callHours(engine),
      '2026-11-23-audit-trail': auditTrail(engine),
      '2026-11-24-reset-links': resetLinks(engine),
      '2026-11-25-audit-by-time': auditByTime(engine),
      '2026-11-26-listed-numbers': listedNumbers(engine, adopted),
      '2026-11-27-call-ids': callIds(engine),
      '2026-11-28-traces': traces(engine),
      '2026-11-29-captures': captures(engine),
      '2026-11-29-listed-alerts': listedAlerts(engine),
      '2026-11-30-logs': logs(engine),
      '2026-12-01-call-days': callDays(engine),
      '2026-12-02-alert-destinations': alertDestinations(engine),
      '2026-12-03-registrations': registrations(engine),
      '2026-12-03-billing': billing(engine),
      '2026-12-04-sign-in-providers': signInProviders(engine),
      '2026-12-06-alert-addresses': alertAddresses(engine),
      '2026-12-07-audit-latest': auditLatest(engine),
      '2026-12-08-account-usage': accountUsage(engine),
    }),
})

export interface Migrated {
  /** the database held the platform's tables before we first saw it */
  adopted: boolean
  /** optional platform tables, and columns as table.column, that this database lacks */
  missingSchema: ReadonlySet<string>
}

/** Whether the platform's tables are another's. Told once, before anything else is made, and remembered. */
const isAdopted = async (db: Kysely<Tables>, engine: EngineName, present: Present): Promise<boolean> => {
  const read = () =>
    db.selectFrom('patchbay_settings').select('value').where('setting', '=', 'adopted').executeTakeFirst()
  if (!present.has('patchbay_settings')) {
    const { patchbay_settings } = ownTables
    await createTables(db, engine, { patchbay_settings })
  }
  const mark = await read()
  if (mark) return mark.value === 'yes'
  const adopted = present.has('accounts')
  await db
    .insertInto('patchbay_settings')
    .values({ setting: 'adopted', value: adopted ? 'yes' : 'no' })
    .$if(engine === 'mysql', (insert) => insert.ignore())
    .execute()
  // Another process that starts just now may have been first.
  return (await read())?.value === 'yes'
}

const refuseLacking = (present: Present): void => {
  const lacking = missing(present)
  if (lacking.length > 0)
    throw new UnusableDatabase(`The database holds the platform's tables, but it lacks: ${lacking.join(', ')}.`)
}

/** Brings the database to the current schema, or throws UnusableDatabase with the names of what it lacks. */
export const migrate = async ({ db, engine }: Database): Promise<Migrated> => {
  const found = await presentTables(db)
  if (found.has('accounts') && !found.has('patchbay_settings')) refuseLacking(found)
  const adopted = await isAdopted(db, engine, found)
  const migrator = new Migrator({
    db,
    provider: provider(engine, adopted),
    migrationTableName: 'patchbay_migrations',
    migrationLockTableName: 'patchbay_migrations_lock',
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  const present = await presentTables(db)
  refuseLacking(present)
  return { adopted, missingSchema: lackingOptional(present) }
}

const damaged = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB'])
const unopened = new Set(['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_IOERR'])

/** Why a database cannot be used, where that is its operator's to mend. */
const unusable = (address: DatabaseAddress, error: Error): string | undefined => {
  const why = error.message || getErrorCode(error)
  if (address.engine === 'mysql')
    return classifyDbError(error)?.fault === 'unreachable'
      ? `The database of DATABASE_URL cannot be reached: ${why}.`
      : undefined
  if (damaged.has(getErrorCode(error))) return `${address.file} is damaged, or is no database. Put back a copy of it.`
  return unopened.has(getErrorCode(error)) ? `${address.file} cannot be opened: ${why}.` : undefined
}

/** The database that a program of the server works on, brought to the current schema. */
export const openMigrated = async (address: DatabaseAddress): Promise<{ database: Database; migrated: Migrated }> => {
  let database: Database | undefined
  try {
    if (address.engine === 'sqlite') makeDataFolder(dirname(address.file))
    database = openDatabase(address, sqliteReader)
    return { database, migrated: await migrate(database) }
  } catch (error) {
    await database?.close()
    const why = error instanceof Error ? unusable(address, error) : undefined
    throw why === undefined ? error : new UnusableDatabase(why, { cause: error })
  }
}
