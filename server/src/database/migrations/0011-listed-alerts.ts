import { alterTables, type Migration, type Statements } from './statements.ts'

/** Adds indexes that contain what lists of alerts read. They replace two indexes with the same prefix. */

const changes: Statements = {
  sqlite: [
    'CREATE INDEX IF NOT EXISTS patchbay_alerts_account_sid ON patchbay_alerts (account_sid, raised_at, raised_ns, fingerprint, alert_type)',
    'DROP INDEX IF EXISTS patchbay_alerts_idx_2',
    'CREATE INDEX IF NOT EXISTS patchbay_alerts_service_provider_sid ON patchbay_alerts (service_provider_sid, raised_at, raised_ns, fingerprint, alert_type)',
    'DROP INDEX IF EXISTS patchbay_alerts_idx_3',
  ],
  mysql: [
    'CREATE INDEX patchbay_alerts_account_sid ON patchbay_alerts (account_sid, raised_at, raised_ns, fingerprint, alert_type)',
    'DROP INDEX patchbay_alerts_idx_2 ON patchbay_alerts',
    'CREATE INDEX patchbay_alerts_service_provider_sid ON patchbay_alerts (service_provider_sid, raised_at, raised_ns, fingerprint, alert_type)',
    'DROP INDEX patchbay_alerts_idx_3 ON patchbay_alerts',
  ],
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
}
