import type { Kysely } from 'kysely'
import type { Database } from '../engine.ts'
import { up as ownTables } from './0001-own-tables.ts'
import { up as platformTables } from './0002-platform-tables.ts'
import { up as callHours } from './0003-call-hours.ts'
import { up as auditTrail } from './0004-audit-trail.ts'
import { up as resetLinks } from './0005-reset-links.ts'
import { up as auditByTime } from './0006-audit-by-time.ts'
import { up as listedNumbers } from './0007-listed-numbers.ts'
import { up as callIds } from './0008-call-ids.ts'
import { up as traces } from './0009-traces.ts'
import { up as captures } from './0010-captures.ts'
import { up as listedAlerts } from './0011-listed-alerts.ts'
import { up as logs } from './0012-logs.ts'
import { up as callDays } from './0013-call-days.ts'
import { up as alertDestinations } from './0014-alert-destinations.ts'
import { up as billing } from './0015-billing.ts'
import { up as registrations } from './0016-registrations.ts'
import { up as signInProviders } from './0017-sign-in-providers.ts'
import { up as alertAddresses } from './0018-alert-addresses.ts'
import { up as auditLatest } from './0019-audit-latest.ts'
import { up as accountUsage } from './0020-account-usage.ts'
import { up as alertHooks } from './0021-alert-hooks.ts'
import { up as apiKeyNames } from './0022-api-key-names.ts'
import { up as callOutcomes } from './0023-call-outcomes.ts'
import { up as callApplications } from './0024-call-applications.ts'
import { up as savedViews } from './0025-saved-views.ts'
import { up as alertGroups } from './0026-alert-groups.ts'
import { up as carrierHealth } from './0027-carrier-health.ts'
import { up as scheduledBackups } from './0028-scheduled-backups.ts'
import { up as listIndexes } from './0029-list-indexes.ts'
import { up as agentEvents } from './0030-agent-events.ts'
import { up as traceLinks } from './0031-trace-links.ts'
import { up as voiceActivities } from './0032-voice-activities.ts'
import { up as conversations } from './0033-conversations.ts'
import { up as conversationDays } from './0034-conversation-days.ts'
import { up as conversationLimits } from './0035-conversation-limits.ts'
import { up as transcripts } from './0036-transcripts.ts'
import { up as maskingRules } from './0037-masking-rules.ts'
import { up as callShares } from './0038-call-shares.ts'
import { up as dataDeletions } from './0039-data-deletions.ts'
import { up as mutedRecordings } from './0040-muted-recordings.ts'
import { up as reviews } from './0041-reviews.ts'
import { up as transcriptRemovals } from './0042-transcript-removals.ts'
import { up as conversationCallIds } from './0043-conversation-call-ids.ts'
import { up as completeNumberLists } from './0044-complete-number-lists.ts'
import { up as modelCheckLimits } from './0045-model-check-limits.ts'
import { up as captureAgents } from './0046-capture-agents.ts'
import { up as blockedCalls } from './0047-blocked-calls.ts'
import { up as exactAlertOwners } from './0048-exact-alert-owners.ts'
import { up as seenAlerts } from './0049-seen-alerts.ts'
import { up as bulkChanges } from './0050-bulk-changes.ts'
import { up as callReports } from './0051-call-reports.ts'
import { up as bulkRecordKinds } from './0052-bulk-records-of-several-kinds.ts'
import { up as reportLegs } from './0053-legs-of-reports.ts'
import { up as bulkUndo } from './0054-undo-of-bulk-changes.ts'
import type { Migration, MigrationContext } from './statements.ts'

/**
 * The changes of the schema in their order. Their files are history: each describes what existed when it was written, and
 * is never changed. A new one gets the next number.
 */

export interface NumberedMigration {
  name: string
  /** Name that databases have recorded for changes from before the files had numbers. */
  datedName?: string
  up: Migration
}

export const migrations: readonly NumberedMigration[] = [
  { name: '0001-own-tables', datedName: '2026-11-21-own-schema', up: ownTables },
  { name: '0002-platform-tables', datedName: '2026-11-21-platform-schema', up: platformTables },
  { name: '0003-call-hours', datedName: '2026-11-22-call-hours', up: callHours },
  { name: '0004-audit-trail', datedName: '2026-11-23-audit-trail', up: auditTrail },
  { name: '0005-reset-links', datedName: '2026-11-24-reset-links', up: resetLinks },
  { name: '0006-audit-by-time', datedName: '2026-11-25-audit-by-time', up: auditByTime },
  { name: '0007-listed-numbers', datedName: '2026-11-26-listed-numbers', up: listedNumbers },
  { name: '0008-call-ids', datedName: '2026-11-27-call-ids', up: callIds },
  { name: '0009-traces', datedName: '2026-11-28-traces', up: traces },
  { name: '0010-captures', datedName: '2026-11-29-captures', up: captures },
  { name: '0011-listed-alerts', datedName: '2026-11-29-listed-alerts', up: listedAlerts },
  { name: '0012-logs', datedName: '2026-11-30-logs', up: logs },
  { name: '0013-call-days', datedName: '2026-12-01-call-days', up: callDays },
  { name: '0014-alert-destinations', datedName: '2026-12-02-alert-destinations', up: alertDestinations },
  { name: '0015-billing', datedName: '2026-12-03-billing', up: billing },
  { name: '0016-registrations', datedName: '2026-12-03-registrations', up: registrations },
  { name: '0017-sign-in-providers', datedName: '2026-12-04-sign-in-providers', up: signInProviders },
  { name: '0018-alert-addresses', datedName: '2026-12-06-alert-addresses', up: alertAddresses },
  { name: '0019-audit-latest', datedName: '2026-12-07-audit-latest', up: auditLatest },
  { name: '0020-account-usage', datedName: '2026-12-08-account-usage', up: accountUsage },
  { name: '0021-alert-hooks', datedName: '2026-12-09-alert-hooks', up: alertHooks },
  { name: '0022-api-key-names', datedName: '2026-12-10-api-key-names', up: apiKeyNames },
  { name: '0023-call-outcomes', datedName: '2026-12-12-call-outcomes', up: callOutcomes },
  { name: '0024-call-applications', datedName: '2026-12-14-call-applications', up: callApplications },
  { name: '0025-saved-views', datedName: '2026-12-14-saved-views', up: savedViews },
  { name: '0026-alert-groups', datedName: '2026-12-15-alert-groups', up: alertGroups },
  { name: '0027-carrier-health', datedName: '2026-12-15-carrier-health', up: carrierHealth },
  { name: '0028-scheduled-backups', datedName: '2026-12-17-scheduled-backups', up: scheduledBackups },
  { name: '0029-list-indexes', datedName: '2026-12-18-list-indexes', up: listIndexes },
  { name: '0030-agent-events', datedName: '2026-12-19-agent-events', up: agentEvents },
  { name: '0031-trace-links', datedName: '2026-12-20-trace-links', up: traceLinks },
  { name: '0032-voice-activities', datedName: '2026-12-21-voice-activities', up: voiceActivities },
  { name: '0033-conversations', datedName: '2026-12-22-conversations', up: conversations },
  { name: '0034-conversation-days', datedName: '2026-12-24-conversation-days', up: conversationDays },
  { name: '0035-conversation-limits', datedName: '2026-12-25-conversation-limits', up: conversationLimits },
  { name: '0036-transcripts', datedName: '2026-12-26-transcripts', up: transcripts },
  { name: '0037-masking-rules', datedName: '2026-12-27-masking-rules', up: maskingRules },
  { name: '0038-call-shares', datedName: '2026-12-28-call-shares', up: callShares },
  { name: '0039-data-deletions', datedName: '2026-12-29-data-deletions', up: dataDeletions },
  { name: '0040-muted-recordings', datedName: '2026-12-30-muted-recordings', up: mutedRecordings },
  { name: '0041-reviews', datedName: '2026-12-31-reviews', up: reviews },
  { name: '0042-transcript-removals', datedName: '2027-01-01-transcript-removals', up: transcriptRemovals },
  { name: '0043-conversation-call-ids', datedName: '2027-01-02-conversation-call-ids', up: conversationCallIds },
  { name: '0044-complete-number-lists', datedName: '2027-01-03-whole-number-lists', up: completeNumberLists },
  { name: '0045-model-check-limits', datedName: '2027-01-04-model-check-limits', up: modelCheckLimits },
  { name: '0046-capture-agents', datedName: '2027-01-05-capture-agents', up: captureAgents },
  { name: '0047-blocked-calls', datedName: '2027-01-06-blocked-calls', up: blockedCalls },
  { name: '0048-exact-alert-owners', up: exactAlertOwners },
  { name: '0049-seen-alerts', up: seenAlerts },
  { name: '0050-bulk-changes', up: bulkChanges },
  { name: '0051-call-reports', up: callReports },
  { name: '0052-bulk-records-of-several-kinds', up: bulkRecordKinds },
  { name: '0053-legs-of-reports', up: reportLegs },
  { name: '0054-undo-of-bulk-changes', up: bulkUndo },
]

const names = new Map(migrations.map(({ name, datedName = name }) => [datedName, name]))

/** Returns a database for migrations. Their tables are those of their time, so that their statements have no types. */
export const toContext = ({ db, engine }: Pick<Database, 'db' | 'engine'>, adopted = false): MigrationContext => ({
  db: db as unknown as Kysely<unknown>,
  engine,
  adopted,
})

/** Returns the name of a recorded change in this version. Unknown names stay as they are. */
export const toCurrentName = (recorded: string): string => names.get(recorded) ?? recorded
