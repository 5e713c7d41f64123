import type { ClickHouseAddress } from '../../config/option-types.ts'
import type { Database } from '../../database/engine.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { ReturnAlerts } from '../alerts/alerts.ts'
import type { CallActivity } from '../calls/call-activity.ts'
import type { Calls } from '../calls/calls.ts'
import type { QualityTotals } from '../calls/quality.ts'
import type { Captures } from '../captures/captures.ts'
import type { ExternalTranscriptIndex } from '../conversations/external-transcript-index.ts'
import type { DeletableRecordings, DeletionStep } from '../deletion/deletion.ts'
import type { Logs } from '../logs/logs.ts'
import type { Traces } from '../traces/traces.ts'
import { type ClickHouse, createClickHouse, toApiError } from './clickhouse.ts'
import { createClickHouseCalls } from './clickhouse-calls.ts'
import { createClickHouseCaptures } from './clickhouse-captures.ts'
import { createClickHouseLogs } from './clickhouse-logs.ts'
import { createClickHouseCallActivity, createClickHouseQuality } from './clickhouse-reports.ts'
import { createClickHouseTraces } from './clickhouse-traces.ts'
import { createClickHouseTranscriptIndex } from './clickhouse-transcripts.ts'
import { createClickHouseSteps } from './delete-call-data.ts'
import { createPreparation } from './migrate-clickhouse.ts'
import { returnAlerts } from './return-alerts.ts'
import { type CallDataStore, readStatus } from './status.ts'

/** Time that the start of the server waits for ClickHouse. */
const startTimeoutSeconds = 5

export interface ClickHouseData {
  data: {
    calls: Calls
    qualityTotals: QualityTotals
    callActivity: CallActivity
    traces: Traces
    logs: Logs
    captures: Captures
    transcriptIndex: ExternalTranscriptIndex
    callDataStore: CallDataStore
    createDeletionSteps: (database: Database, recordings: DeletableRecordings) => DeletionStep[]
    returnAlerts: ReturnAlerts
  }
  close(): Promise<void>
}

/**
 * Opens the call data in ClickHouse for reading.
 * @param retentionDays days after which ClickHouse deletes call data. 0 keeps it
 */
export const openClickHouse = async (address: ClickHouseAddress, retentionDays: number): Promise<ClickHouseData> => {
  const clickHouse = await createClickHouse(address)
  const prepare = createPreparation(clickHouse, retentionDays)
  const waitForTables = (signal?: AbortSignal): Promise<void> => {
    const noResponse = () => new Error('ClickHouse does not respond')
    return withTimeout(prepare(), startTimeoutSeconds, noResponse).catch((error: unknown) => {
      throw toApiError(error, signal)
    })
  }
  const prepared: ClickHouse = {
    ...clickHouse,
    async query(statement, parameters, signal) {
      await waitForTables(signal)
      return clickHouse.query(statement, parameters, signal)
    },
    async insert(table, rows, token, signal) {
      await waitForTables(signal)
      await clickHouse.insert(table, rows, token, signal)
    },
  }
  return {
    data: {
      calls: createClickHouseCalls(prepared),
      qualityTotals: createClickHouseQuality(prepared),
      callActivity: createClickHouseCallActivity(prepared),
      traces: createClickHouseTraces(prepared),
      logs: createClickHouseLogs(prepared),
      captures: createClickHouseCaptures(prepared),
      transcriptIndex: createClickHouseTranscriptIndex(prepared),
      callDataStore: { readStatus: () => readStatus(prepared) },
      createDeletionSteps: (database, recordings) => createClickHouseSteps(prepared, database, recordings),
      returnAlerts: (database, onProgress, signal) =>
        returnAlerts({ clickHouse: prepared, database, onProgress }, signal),
    },
    close: () => clickHouse.close(),
  }
}
