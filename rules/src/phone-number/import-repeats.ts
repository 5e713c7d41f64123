import type { NumberRow, RowPlan } from './import-rows.ts'

/**
 * Finds repeated numbers among the rows of a file. A module of its own, because the console does so for rows that the
 * server has planned in batches, and does not read numbers itself.
 */

/** Normalizes a text for comparison. The database ignores case, too. */
export const normalize = (text: string): string => text.trim().toLowerCase()

/** Rejects rows that repeat the number of an earlier row on the same carrier. */
export const rejectRepeats = (rows: readonly NumberRow[], plans: readonly RowPlan[]): RowPlan[] => {
  const lines = new Map<string, number>()
  return plans.map((plan, position) => {
    if (plan.is === 'wrong') return plan
    const key = `${normalize(plan.number)} ${plan.voip_carrier_sid ?? ''}`
    const before = lines.get(key)
    lines.set(key, before ?? rows[position]?.line ?? position + 1)
    if (before === undefined) return plan
    return { is: 'wrong', column: 'number', why: `Line ${before} has the same number` }
  })
}
