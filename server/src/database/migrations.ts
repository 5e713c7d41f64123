import type { Kysely } from 'kysely'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Table } from './columns.ts'
import { groupStoredAlerts } from './alert-group-keys.ts'
import { sumDays } from './call-day-counts.ts'
import { countApplications } from './call-application-counts.ts'
import { countHours, owners } from './call-hour-counts.ts'
import { countOutcomes } from './call-outcome-counts.ts'
import { sumStoredConversations } from './conversation-day-sums.ts'
import { addColumns, createIndex, createTables, dropIndex } from './ddl.ts'
import type { ExistingTables } from './encrypted-values.ts'
import { type Database, type EngineName, classifyDbError, openDatabase, openReadOnly } from './engine.ts'
import type { DatabaseAddress } from '../config/option-types.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { FatalError } from '../lib/cli.ts'
import { makeDataFolder } from '../config/data-directory.ts'
import { findMissingListIndexes } from './list-indexes.ts'
import { moveAuditEntries } from './audit-tables.ts'
import { ownTables } from './patchbay-schema.ts'
import { platformTables } from './platform-schema.ts'
import { explainNewerSchema, migrationTable, readAppliedMigrations, storeSchemaVersion } from './schema-version.ts'
import { getPrimaryResultCode } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'
import type { Tables } from './tables.ts'
import { createTranscriptIndex } from './transcript-index-table.ts'

/** Thrown if a database cannot be used. The message is for the operator. */
export class UnusableDatabase extends FatalError {}

const readTables = async (db: Kysely<Tables>): Promise<ExistingTables> => {
  const tables = await db.introspection.getTables()
  return new Map(tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]))
}

/** Returns the names of missing tables and columns of jambonz, except optional ones. */
const findMissing = (present: ExistingTables): string[] =>
  Object.entries<Table>(platformTables).flatMap(([name, { columns, optional }]) => {
    const existingColumns = present.get(name)
    if (existingColumns === undefined) return optional ? [] : [`table ${name}`]
    const missingColumns = Object.entries(columns).filter(
      ([column, definition]) => !definition.optional && !existingColumns.has(column),
    )
    return missingColumns.map(([column]) => `column ${name}.${column}`)
  })

/** Returns the missing optional tables, and the missing columns of existing tables. */
const findMissingOptional = (present: ExistingTables): Set<string> => {
  const missingSchema = new Set<string>()
  for (const [name, { columns }] of Object.entries<Table>(platformTables)) {
    const existingColumns = present.get(name)
    if (existingColumns === undefined) missingSchema.add(name)
    else
      for (const column of Object.keys(columns))
        if (!existingColumns.has(column)) missingSchema.add(`${name}.${column}`)
  }
  return missingSchema
}

/**
 * Creates the tables of jambonz. A database that already contains them is adopted: nothing in it is altered or dropped,
 * and the start fails with the names of missing tables and columns.
 */
const platformSchema = (engine: EngineName, adopted: boolean): Migration => ({
  up: async (db) => {
    if (!adopted) await createTables(db, engine, platformTables)
  },
})

const ownSchema = (engine: EngineName): Migration => {
  const {
    patchbay_api_key_names: _keyNames,
    patchbay_call_hours: _hours,
    patchbay_audit_trail: _audit,
    patchbay_audit_latest: _latest,
    patchbay_reset_links: _links,
    patchbay_trace_parts: _traces,
    patchbay_voice_activities: _voiceActivities,
    patchbay_conversation_queue: _conversationQueue,
    patchbay_conversations: _conversations,
    patchbay_conversation_days: _conversationDays,
    patchbay_conversation_limits: _conversationLimits,
    patchbay_data_deletions: _dataDeletions,
    patchbay_transcripts: _transcripts,
    patchbay_transcript_settings: _transcriptSettings,
    patchbay_agent_events: _agentEvents,
    patchbay_trace_links: _traceLinks,
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
    patchbay_alert_acknowledgments: _acknowledgments,
    patchbay_carrier_health_states: _healthStates,
    patchbay_carrier_health_changes: _healthChanges,
    patchbay_carrier_health_watches: _healthWatches,
    ...first
  } = ownTables
  return { up: (db) => createTables(db, engine, first) }
}

/**
 * Runs statements that insert what they select. At the default isolation level of MySQL, they would lock all rows that
 * they read, which block the processes of the previous version during an upgrade, or conflict with them.
 */
const withoutRowLocks = (
  db: Kysely<Tables>,
  engine: EngineName,
  work: (db: Kysely<Tables>) => Promise<void>,
): Promise<void> => (engine === 'mysql' ? db.transaction().setIsolationLevel('read committed').execute(work) : work(db))

/**
 * Columns that a search of call records reads. Because the index contains them, a text search does not read the records
 * themselves.
 */
const searchColumns = ['attempted_at', 'from', 'to', 'call_sid']

/** Adds stored call counts and separate indexes for searches. */
const callHours = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { patchbay_call_hours } = ownTables
    await createTables(db, engine, { patchbay_call_hours })
    await createIndex(db, engine, 'patchbay_calls', 'patchbay_calls_search', ['account_sid', ...searchColumns])
    await createIndex(db, engine, 'patchbay_calls', 'patchbay_calls_search_sp', [
      'service_provider_sid',
      ...searchColumns,
    ])
    await withoutRowLocks(db, engine, (unlocked) => countHours(unlocked, engine))
  },
})

const auditTrail = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_audit_trail: ownTables.patchbay_audit_trail }),
})

/** Replaces the first version of the audit trail, which had random IDs and an index of times. */
const auditByTime = (engine: EngineName): Migration => ({
  up: async (db) => {
    if (!(await readTables(db)).has('patchbay_audit')) return
    await createTables(db, engine, { patchbay_audit_trail: ownTables.patchbay_audit_trail })
    await moveAuditEntries(db)
  },
})

/** Adds the unindexed table to which SQLite writes new entries first. */
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

const apiKeyNames = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_api_key_names: ownTables.patchbay_api_key_names }),
})

/** Adds indexes for filtering and sorting lists of phone numbers. Adopted tables are not changed. */
const numberIndexes = (engine: EngineName, adopted: boolean): Migration => ({
  up: async (db) => {
    if (adopted) return
    const order = ['number', 'voip_carrier_sid', 'phone_number_sid']
    const listColumns = [...order, 'account_sid', 'service_provider_sid']
    const accountColumns = ['account_sid', ...order, 'service_provider_sid']
    await createIndex(db, engine, 'phone_numbers', 'patchbay_phone_numbers_listed', listColumns)
    await createIndex(db, engine, 'phone_numbers', 'patchbay_phone_numbers_of_account', accountColumns)
  },
})

/**
 * Adds indexes that contain all columns needed to count, sort, and page lists of alerts. They replace two indexes with
 * the same prefix.
 */
const alertIndexes = (engine: EngineName): Migration => ({
  up: async (db) => {
    const listColumns = ['raised_at', 'raised_ns', 'fingerprint', 'alert_type']
    for (const [owner, old] of [
      ['account_sid', 'patchbay_alerts_idx_2'],
      ['service_provider_sid', 'patchbay_alerts_idx_3'],
    ] as const) {
      await createIndex(db, engine, 'patchbay_alerts', `patchbay_alerts_${owner}`, [owner, ...listColumns])
      await dropIndex(db, engine, 'patchbay_alerts', old)
    }
  },
})

/** Adds indexes of the IDs by which traces and captured SIP refer to a call. */
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

/**
 * Users may see the SIP messages of their own calls. A parent call may have no record of its own, so it is found by the
 * parent's Call-ID.
 */
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
    await withoutRowLocks(db, engine, (unlocked) => sumDays(unlocked, engine))
  },
})

const alertDestinations = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_alert_destinations, patchbay_alert_deliveries } = ownTables
    return createTables(db, engine, { patchbay_alert_destinations, patchbay_alert_deliveries })
  },
})

/**
 * Confirms the addresses that have received alerts by mail, so that they still receive them. Each mail contains a link
 * to unsubscribe. Other addresses must be confirmed by their owner first.
 */
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

/** Adds the stored counts for the filters of calls by SIP status and duration. */
const callOutcomes = (engine: EngineName): Migration => ({
  up: async (db) => {
    await createTables(db, engine, { patchbay_call_outcomes: ownTables.patchbay_call_outcomes })
    await withoutRowLocks(db, engine, (unlocked) => countOutcomes(unlocked, engine))
  },
})

/** Adds what the alert hooks of newer platforms need. */
const alertHooks = (engine: EngineName): Migration => ({
  up: (db) => {
    const { once_per_hour, created_at } = ownTables.patchbay_alert_destinations.columns
    return addColumns(db, engine, 'patchbay_alert_destinations', { once_per_hour, created_at })
  },
})

/** Columns of calls that filters read. Because the index contains them, counting does not read the records themselves. */
const outcomeColumns = ['sip_status', 'duration', 'direction', 'answered']

/** The order of lists, so that pages need no sorting. */
const callOrder = ['attempted_at', 'attempted_ns', 'call_key']

/** Adds the stored counts for the filter of calls by application, and indexes that find these calls, and calls by status. */
const callApplications = (engine: EngineName): Migration => ({
  up: async (db) => {
    await createTables(db, engine, { patchbay_call_applications: ownTables.patchbay_call_applications })
    for (const owner of owners) {
      const byApplication = [owner, 'application_sid', ...callOrder, ...outcomeColumns]
      await createIndex(db, engine, 'patchbay_calls', `patchbay_calls_application_${owner}`, byApplication)
      const byStatus = [owner, 'sip_status', ...callOrder]
      await createIndex(db, engine, 'patchbay_calls', `patchbay_calls_status_${owner}`, byStatus)
    }
    await withoutRowLocks(db, engine, (unlocked) => countApplications(unlocked, engine))
  },
})

const savedViews = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_saved_views, patchbay_list_columns } = ownTables
    return createTables(db, engine, { patchbay_saved_views, patchbay_list_columns })
  },
})

/** Adds the groups of alerts, and their acknowledgments. The new indexes replace two that are their prefixes. */
const alertGroups = (engine: EngineName): Migration => ({
  up: async (db: Kysely<Tables>) => {
    const { patchbay_alert_acknowledgments, patchbay_alerts } = ownTables
    await createTables(db, engine, { patchbay_alert_acknowledgments })
    await addColumns(db, engine, 'patchbay_alerts', { group_key: patchbay_alerts.columns.group_key })
    const order = ['raised_at', 'raised_ns']
    const groupColumns = ['group_key', ...order, 'account_sid', 'service_provider_sid', 'alert_type']
    await createIndex(db, engine, 'patchbay_alerts', 'patchbay_alerts_group', groupColumns)
    await groupStoredAlerts(db)
    for (const [owner, name] of [
      ['account_sid', 'patchbay_alerts_account'],
      ['service_provider_sid', 'patchbay_alerts_provider'],
    ] as const) {
      const columns = [owner, ...order, 'fingerprint', 'alert_type', 'group_key']
      await createIndex(db, engine, 'patchbay_alerts', name, columns)
      await dropIndex(db, engine, 'patchbay_alerts', `patchbay_alerts_${owner}`)
    }
  },
})

const carrierHealth = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_carrier_health_states, patchbay_carrier_health_changes, patchbay_carrier_health_watches } =
      ownTables
    return createTables(db, engine, {
      patchbay_carrier_health_states,
      patchbay_carrier_health_changes,
      patchbay_carrier_health_watches,
    })
  },
})

const scheduledBackups = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_backups } = ownTables
    return createTables(db, engine, { patchbay_backups })
  },
})

/**
 * Adds indexes that contain the order and the filters of lists of applications and carriers, so that a page finds its
 * rows without reading others. Adopted tables are not changed.
 */
const listIndexes = (engine: EngineName, adopted: boolean): Migration => ({
  up: async (db) => {
    if (adopted) return
    const order = ['name', 'application_sid']
    await createIndex(db, engine, 'applications', 'patchbay_applications_listed', [...order, 'account_sid'])
    await createIndex(db, engine, 'applications', 'patchbay_applications_of_account', ['account_sid', ...order])
    const carrierColumns = ['name', 'voip_carrier_sid', 'service_provider_sid', 'account_sid']
    await createIndex(db, engine, 'voip_carriers', 'patchbay_voip_carriers_listed', carrierColumns)
  },
})

const voiceActivities = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_voice_activities: ownTables.patchbay_voice_activities }),
})

const conversations = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_conversation_queue, patchbay_conversations, patchbay_conversation_days } = ownTables
    return createTables(db, engine, {
      patchbay_conversation_queue,
      patchbay_conversations,
      patchbay_conversation_days,
    })
  },
})

/** Adds indexes for lists, and replaces the first version of the sums, which had a row per bucket of a duration. */
const conversationDays = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { patchbay_conversations, patchbay_conversation_days } = ownTables
    await addColumns(db, engine, 'patchbay_conversations', { ended_at: patchbay_conversations.columns.ended_at })
    for (const owner of owners)
      await createIndex(db, engine, 'patchbay_conversations', `patchbay_conversations_${owner}`, [
        owner,
        'started_at',
        'call_sid',
      ])
    if (!(await readTables(db)).has('patchbay_conversation_counts')) return
    await createTables(db, engine, { patchbay_conversation_days })
    await withoutRowLocks(db, engine, sumStoredConversations)
    await db.schema.dropTable('patchbay_conversation_counts').execute()
  },
})

const conversationLimits = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_conversation_limits: ownTables.patchbay_conversation_limits }),
})

const maskingRules = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_masking_rules: ownTables.patchbay_masking_rules }),
})

const mutedRecordings = (engine: EngineName): Migration => ({
  up: (db) => {
    const { mute_recordings } = ownTables.patchbay_masking_rules.columns
    return addColumns(db, engine, 'patchbay_masking_rules', { mute_recordings })
  },
})

const callShares = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_call_shares: ownTables.patchbay_call_shares }),
})

const dataDeletions = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_data_deletions: ownTables.patchbay_data_deletions }),
})

const agentEvents = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_agent_events: ownTables.patchbay_agent_events }),
})

const traceLinks = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_trace_links: ownTables.patchbay_trace_links }),
})

const transcripts = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { patchbay_transcripts, patchbay_transcript_settings } = ownTables
    await createTables(db, engine, { patchbay_transcripts, patchbay_transcript_settings })
    await createTranscriptIndex(db, engine)
  },
})

const transcriptRemovals = (engine: EngineName): Migration => ({
  up: (db) => createTables(db, engine, { patchbay_transcript_removals: ownTables.patchbay_transcript_removals }),
})

/** Lets later spans find the conversation of the call that they name. */
const conversationCallIds = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { sip_callid } = ownTables.patchbay_conversations.columns
    await addColumns(db, engine, 'patchbay_conversations', { sip_callid })
    await createIndex(db, engine, 'patchbay_conversations', 'patchbay_conversations_sip', ['sip_callid'])
    await createIndex(db, engine, 'patchbay_conversation_queue', 'patchbay_conversation_queue_call', ['call_sid'])
  },
})

const reviews = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_review_items, patchbay_reviews, patchbay_review_settings, patchbay_review_models } = ownTables
    const tables = { patchbay_review_items, patchbay_reviews, patchbay_review_settings, patchbay_review_models }
    return createTables(db, engine, tables)
  },
})

const modelCheckLimits = (engine: EngineName): Migration => ({
  up: async (db) => {
    const { patchbay_model_check_counts, patchbay_reviews: reviewTable } = ownTables
    await addColumns(db, engine, 'patchbay_reviews', { input_hash: reviewTable.columns.input_hash })
    await createTables(db, engine, { patchbay_model_check_counts })
  },
})

/**
 * Adds an index with all columns of phone numbers in the order of their lists. Without it, MySQL sorts the rows of a whole
 * list, and then reads each of them a second time. Pages use an index without the application, because the time to count
 * rows depends on the size of the index. SQLite needs no other index.
 */
const wholeNumberLists = (engine: EngineName, adopted: boolean): Migration => ({
  up: async (db) => {
    if (adopted || engine === 'sqlite') return
    const order = ['number', 'voip_carrier_sid', 'phone_number_sid']
    const columns = [...order, 'account_sid', 'service_provider_sid', 'application_sid']
    await createIndex(db, engine, 'phone_numbers', 'patchbay_phone_numbers_complete', columns)
  },
})

const captureAgents = (engine: EngineName): Migration => ({
  up: (db) => {
    const { agent, arrival } = ownTables.patchbay_sip_messages.columns
    return addColumns(db, engine, 'patchbay_sip_messages', { agent, arrival })
  },
})

const blockedCalls = (engine: EngineName): Migration => ({
  up: (db) => {
    const { patchbay_sip_marks, patchbay_blocked_calls, patchbay_identity_days } = ownTables
    return createTables(db, engine, { patchbay_sip_marks, patchbay_blocked_calls, patchbay_identity_days })
  },
})

/** On MySQL each statement of a migration is committed separately, so each must be repeatable after an interruption. */
const provider = (engine: EngineName, adopted: boolean): MigrationProvider => ({
  getMigrations: () =>
    Promise.resolve({
      '2026-11-21-own-schema': ownSchema(engine),
      '2026-11-21-platform-schema': platformSchema(engine, adopted),
      '2026-11-22-call-hours': callHours(engine),
      '2026-11-23-audit-trail': auditTrail(engine),
      '2026-11-24-reset-links': resetLinks(engine),
      '2026-11-25-audit-by-time': auditByTime(engine),
      '2026-11-26-listed-numbers': numberIndexes(engine, adopted),
      '2026-11-27-call-ids': callIds(engine),
      '2026-11-28-traces': traces(engine),
      '2026-11-29-captures': captures(engine),
      '2026-11-29-listed-alerts': alertIndexes(engine),
      '2026-11-30-logs': logs(engine),
      '2026-12-01-call-days': callDays(engine),
      '2026-12-02-alert-destinations': alertDestinations(engine),
      '2026-12-03-billing': billing(engine),
      '2026-12-03-registrations': registrations(engine),
      '2026-12-04-sign-in-providers': signInProviders(engine),
      '2026-12-06-alert-addresses': alertAddresses(engine),
      '2026-12-07-audit-latest': auditLatest(engine),
      '2026-12-08-account-usage': accountUsage(engine),
      '2026-12-09-alert-hooks': alertHooks(engine),
      '2026-12-10-api-key-names': apiKeyNames(engine),
      '2026-12-12-call-outcomes': callOutcomes(engine),
      '2026-12-14-call-applications': callApplications(engine),
      '2026-12-14-saved-views': savedViews(engine),
      '2026-12-15-alert-groups': alertGroups(engine),
      '2026-12-15-carrier-health': carrierHealth(engine),
      '2026-12-17-scheduled-backups': scheduledBackups(engine),
      '2026-12-18-list-indexes': listIndexes(engine, adopted),
      '2026-12-19-agent-events': agentEvents(engine),
      '2026-12-20-trace-links': traceLinks(engine),
      '2026-12-21-voice-activities': voiceActivities(engine),
      '2026-12-22-conversations': conversations(engine),
      '2026-12-24-conversation-days': conversationDays(engine),
      '2026-12-25-conversation-limits': conversationLimits(engine),
      '2026-12-26-transcripts': transcripts(engine),
      '2026-12-27-masking-rules': maskingRules(engine),
      '2026-12-28-call-shares': callShares(engine),
      '2026-12-29-data-deletions': dataDeletions(engine),
      '2026-12-30-muted-recordings': mutedRecordings(engine),
      '2026-12-31-reviews': reviews(engine),
      '2027-01-01-transcript-removals': transcriptRemovals(engine),
      '2027-01-02-conversation-call-ids': conversationCallIds(engine),
      '2027-01-03-whole-number-lists': wholeNumberLists(engine, adopted),
      '2027-01-04-model-check-limits': modelCheckLimits(engine),
      '2027-01-05-capture-agents': captureAgents(engine),
      '2027-01-06-blocked-calls': blockedCalls(engine),
    }),
})

/** Returns the names of the schema changes that this version knows, oldest first. They are the same on all engines. */
export const listMigrations = async (): Promise<string[]> =>
  Object.keys(await provider('sqlite', false).getMigrations()).toSorted()

/** Returns the name of the latest schema change that this version knows. */
export const readSchemaName = async (): Promise<string> => (await listMigrations()).at(-1) ?? ''

export interface MigrationResult {
  /** True if the database contained the tables of jambonz before Patchbay first used it. */
  adopted: boolean
  /** Optional tables of jambonz, columns as table.column, and indexes of lists, that this database lacks. */
  missingSchema: ReadonlySet<string>
  /** The schema changes that were made, in their order. */
  applied: readonly string[]
}

/**
 * Returns whether the tables of jambonz existed before Patchbay. This is determined at the first start, before any
 * table is created, and stored.
 */
const isAdopted = async (db: Kysely<Tables>, engine: EngineName, present: ExistingTables): Promise<boolean> => {
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
  // Another process may have stored it at the same time.
  return (await read())?.value === 'yes'
}

const assertComplete = (present: ExistingTables): void => {
  const missingColumns = findMissing(present)
  if (missingColumns.length > 0)
    throw new UnusableDatabase(`The database holds the platform's tables, but it lacks: ${missingColumns.join(', ')}.`)
}

const createMigrator = (db: Kysely<Tables>, engine: EngineName, adopted: boolean): Migrator =>
  new Migrator({
    db,
    provider: provider(engine, adopted),
    migrationTableName: migrationTable,
    migrationLockTableName: 'patchbay_migrations_lock',
  })

/** Creates the tables of an empty database as they were after a migration, so that an older backup can be restored. */
export const createSchema = async ({ db, engine }: Database, lastMigration: string): Promise<void> => {
  await isAdopted(db, engine, await readTables(db))
  const { error } = await createMigrator(db, engine, false).migrateTo(lastMigration)
  if (error !== undefined) throw error
}

/**
 * Returns the schema changes that the database contains.
 * @throws UnusableDatabase if a newer version of Patchbay has changed the schema, or platform tables are incomplete
 */
const readSchema = async (db: Kysely<Tables>, present: ExistingTables): Promise<readonly string[]> => {
  if (present.has('accounts') && !present.has('patchbay_settings')) assertComplete(present)
  const applied = present.has(migrationTable) ? await readAppliedMigrations(db) : []
  const newerSchema = await explainNewerSchema(db, applied, await listMigrations())
  if (newerSchema !== undefined) throw new UnusableDatabase(newerSchema)
  return applied
}

/** Runs before anything in a database is changed. If it throws, nothing is changed. */
type BeforeChanges = (db: Kysely<Tables>, tables: ExistingTables) => Promise<void>

/**
 * Migrates the database to the current schema.
 * @throws UnusableDatabase with the names of missing tables and columns, or if its schema is newer than this program
 */
export const migrate = async ({ db, engine }: Database, beforeChanges?: BeforeChanges): Promise<MigrationResult> => {
  const tablesBefore = await readTables(db)
  await readSchema(db, tablesBefore)
  await beforeChanges?.(db, tablesBefore)
  const adopted = await isAdopted(db, engine, tablesBefore)
  const { error, results = [] } = await createMigrator(db, engine, adopted).migrateToLatest()
  if (error !== undefined) throw error
  if (results.length > 0) await storeSchemaVersion(db, engine)
  const present = await readTables(db)
  assertComplete(present)
  const applied = results.map(({ migrationName }) => migrationName)
  const missingIndexes = await findMissingListIndexes(db, engine)
  return { adopted, missingSchema: new Set([...findMissingOptional(present), ...missingIndexes]), applied }
}

/** Explains primary result codes of SQLite (https://www.sqlite.org/rescode.html) that the operator can fix. */
const sqliteExplanations: Readonly<Record<number, (file: string, reason: string) => string>> = {
  5: (file) => `${file} is locked by another program. Stop that program, and try again.`,
  8: (file, reason) =>
    `${file} cannot be opened: ${reason}. Make the file and its folder writable for the user of Patchbay.`,
  10: (file, reason) =>
    `${file} cannot be read or written: ${reason}. Check the disk, its free space, and limits of the file size.`,
  11: (file) => `${file} is damaged or not a database. Restore it from a backup.`,
  13: (file) => `The disk of ${dirname(file)} is full. Free space, and try again.`,
  14: (file, reason) =>
    `${file} cannot be opened: ${reason}. Check that it is a file that the user of Patchbay can read and write.`,
  26: (file) => `${file} is damaged or not a database. Restore it from a backup.`,
}

const explainSqliteError = (file: string, error: Error): string | undefined => {
  const code = getErrorCode(error)
  // A full disk has no space for the index of the write-ahead log.
  const resultCode = getPrimaryResultCode(code === 'SQLITE_IOERR_SHMSIZE' ? 'SQLITE_FULL' : code)
  return resultCode === undefined ? undefined : sqliteExplanations[resultCode]?.(file, error.message)
}

const explainMysqlError = (error: Error): string | undefined => {
  const code = getErrorCode(error)
  const reason = error.message || code
  const fault = classifyDbError(error)?.fault
  if (fault === 'unreachable') return `The database of DATABASE_URL cannot be reached: ${reason}.`
  if (fault === 'unwritable')
    return `The database of DATABASE_URL cannot be written: ${reason}. Check its free space, and whether it is read-only.`
  // The statement is of no help to the operator.
  const [denied] = reason.split(', in: ')
  return /^ER_\w*ACCESS_DENIED/.test(code)
    ? `The user of DATABASE_URL lacks a privilege: ${denied}. Grant it, and try again.`
    : undefined
}

/** Explains an error that the operator can fix. Returns undefined for other errors. */
const explainError = (address: DatabaseAddress, error: Error): string | undefined =>
  address.engine === 'mysql' ? explainMysqlError(error) : explainSqliteError(address.file, error)

/** Returns an UnusableDatabase for an error that the operator can fix, and other errors unchanged. */
export const explainDatabaseError = (address: DatabaseAddress, error: unknown): unknown => {
  const reason = error instanceof Error ? explainError(address, error) : undefined
  return reason === undefined ? error : new UnusableDatabase(reason, { cause: error })
}

/** Runs work with a database. Throws an UnusableDatabase for errors that the operator can fix. */
export const withExplainedErrors = async <T>(address: DatabaseAddress, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw explainDatabaseError(address, error)
  }
}

interface OpenOptions {
  /** See `MysqlAddress`. Applies after the migration, which can take hours. */
  responseTimeoutSeconds?: number | undefined
  beforeChanges?: BeforeChanges
}

/** Opens the database and migrates it to the current schema. */
export const openMigrated = (
  address: DatabaseAddress,
  { responseTimeoutSeconds, beforeChanges }: OpenOptions = {},
): Promise<{ database: Database; migrated: MigrationResult }> =>
  withExplainedErrors(address, async () => {
    if (address.engine === 'sqlite') makeDataFolder(dirname(address.file))
    const database = openDatabase(address, sqliteReader)
    try {
      const migrated = await migrate(database, beforeChanges)
      if (address.engine === 'sqlite' || responseTimeoutSeconds === undefined) return { database, migrated }
      await database.close()
      return { database: openDatabase({ ...address, responseTimeoutSeconds }, sqliteReader), migrated }
    } catch (error) {
      await database.close()
      throw error
    }
  })

/**
 * Runs work that only reads an existing database.
 * @throws UnusableDatabase if the database cannot be reached or used
 */
export const withExistingDatabase = <T>(
  address: DatabaseAddress,
  work: (db: Kysely<Tables>, tables: ExistingTables) => Promise<T>,
): Promise<T> =>
  withExplainedErrors(address, async () => {
    const db = openReadOnly(address)
    try {
      return await work(db, await readTables(db))
    } finally {
      await db.destroy()
    }
  })

/**
 * Returns the schema changes that the next start makes, in their order. Changes nothing, and creates no file.
 * @param read also reads the existing database, if there is one
 * @throws UnusableDatabase if the database cannot be reached or used
 */
export const planMigrations = async (address: DatabaseAddress, read?: BeforeChanges): Promise<string[]> => {
  const all = await listMigrations()
  if (address.engine === 'sqlite' && !existsSync(address.file)) return all
  return withExistingDatabase(address, async (db, tables) => {
    const applied = await readSchema(db, tables)
    await read?.(db, tables)
    return all.filter((name) => !applied.includes(name))
  })
}
