import { rejectRepeats } from '@patchbay/rules/phone-number/import-repeats'
import type { RowPlan } from '@patchbay/rules/phone-number/import-rows'
import { failureReason, retryWhenBusy } from '../../../api/batches.ts'
import { api } from '../../../api/client.ts'
import type { FileRow } from './import-file.ts'
import { toBatches } from './size-batches.ts'

/** Checks and imports the rows of a file in batches. */

type OnProgress = (done: number) => void

const send = async (
  service_provider_sid: string,
  dry_run: boolean,
  rows: readonly FileRow[],
  onProgress?: OnProgress,
): Promise<RowPlan[]> => {
  const body = { service_provider_sid, dry_run, rows: [...rows] }
  const options = onProgress ? { onProgress } : {}
  return (await retryWhenBusy(() => api('POST /patchbay/phone-numbers/import', { body }, options))).rows
}

/** Returns a plan for each well-formed row. */
const planRows = async (
  service_provider_sid: string,
  rows: readonly FileRow[],
  onProgress: OnProgress,
): Promise<RowPlan[]> => {
  const plans: RowPlan[] = []
  for (const batch of toBatches(rows)) {
    plans.push(...(await send(service_provider_sid, true, batch)))
    onProgress(plans.length)
  }
  return rejectRepeats(rows, plans)
}

/** Returns a plan for each row, without changing anything. Malformed rows are rejected without asking the server. */
export const checkRows = async (
  service_provider_sid: string,
  rows: readonly FileRow[],
  onProgress: OnProgress,
): Promise<RowPlan[]> => {
  const wellFormed = rows.filter(({ error }) => error === undefined)
  const plans = (await planRows(service_provider_sid, wellFormed, onProgress)).values()
  return rows.map(({ error }) =>
    error === undefined ? (plans.next().value as RowPlan) : { is: 'wrong', column: 'number', why: error },
  )
}

/** A selected row and its plan. */
export interface Chosen {
  row: FileRow
  plan: Exclude<RowPlan, { is: 'wrong' }>
}

/** Undefined if the import succeeded, otherwise the reason why it failed. */
export type Outcome = string | undefined

/** Sends SIDs instead of names, so that the import does exactly what the check has planned. */
const toPlannedRow = ({ row: { line }, plan }: Chosen): FileRow => ({
  line,
  number: plan.number,
  carrier: plan.voip_carrier_sid ?? undefined,
  account: plan.account_sid,
  application: plan.application_sid ?? '',
  // Only rows that the user has selected are imported, which confirms a pattern.
  ...(plan.is === 'new' && plan.is_pattern ? { is_pattern: true } : {}),
})

/** The most rows whose import is shown as code. The code of more is too long to be read or pasted. */
export const maxShownRows = 1000

/** Sends the requests that import the rows, and handles no outcome. */
export const sendImport = async (service_provider_sid: string, chosen: readonly Chosen[]): Promise<void> => {
  for (const batch of toBatches(chosen.map(toPlannedRow))) await send(service_provider_sid, false, batch)
}

/** Imports the rows and returns their outcomes in the same order. */
export const importRows = async (
  service_provider_sid: string,
  chosen: readonly Chosen[],
  onProgress: OnProgress,
): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  for (const batch of toBatches(chosen.map(toPlannedRow))) {
    const before = outcomes.length
    try {
      const plans = await send(service_provider_sid, false, batch, (part) => onProgress(before + part))
      outcomes.push(...plans.map((plan) => (plan.is === 'wrong' ? plan.why : undefined)))
    } catch (error) {
      const why = failureReason(error)
      outcomes.push(...batch.map(() => why))
    }
    onProgress(outcomes.length)
  }
  return outcomes
}
