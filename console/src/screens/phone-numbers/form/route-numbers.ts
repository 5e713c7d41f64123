import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { maxRouted } from '@patchbay/contract/phone-numbers/bulk-limits'
import { groupBy } from '@patchbay/rules/lib/groups'
import { chunk, failureReason, retryWhenBusy } from '../../../api/batches.ts'
import { api } from '../../../api/client.ts'

/** A number whose application could not be changed. */
export interface Unrouted {
  number: NamedPhoneNumber
  why: string
}

/** A number whose application was changed. The server reports its previous application. */
interface Routed {
  number: NamedPhoneNumber
  previous_application_sid: string | null
}

/** The numbers that were changed, and those that could not be. */
export interface RoutingOutcome {
  routed: readonly Routed[]
  unrouted: readonly Unrouted[]
}

interface RoutingChange {
  /** Null removes the application. */
  application_sid: string | null
  /** Changes only numbers that have this application, or none if it is null. */
  current_application_sid?: string | null
}

type OnProgress = (done: number) => void

/** If the request for a batch fails, all of its numbers keep their routing. */
const routeBatch = async (
  change: RoutingChange,
  batch: readonly NamedPhoneNumber[],
  onProgress: OnProgress,
): Promise<RoutingOutcome> => {
  const bySid = new Map(batch.map((number) => [number.phone_number_sid, number]))
  const body = { ...change, phone_number_sids: [...bySid.keys()] }
  const withNumber = <Details extends object>(sid: string, details: Details) => {
    const number = bySid.get(sid)
    return number === undefined ? [] : [{ number, ...details }]
  }
  try {
    const { changed, failed } = await retryWhenBusy(() =>
      api('POST /patchbay/phone-numbers/routing', { body }, { onProgress }),
    )
    return {
      routed: changed.flatMap(({ phone_number_sid: sid, ...previous }) => withNumber(sid, previous)),
      unrouted: failed.flatMap(({ phone_number_sid: sid, why }) => withNumber(sid, { why })),
    }
  } catch (error) {
    const why = failureReason(error)
    return { routed: [], unrouted: batch.map((number) => ({ number, why })) }
  }
}

/** Sets or clears the application of phone numbers. */
export const routeNumbers = async (
  change: RoutingChange,
  numbers: readonly NamedPhoneNumber[],
  onProgress: OnProgress = () => undefined,
): Promise<RoutingOutcome> => {
  const outcomes: RoutingOutcome[] = []
  let done = 0
  for (const batch of chunk(numbers, maxRouted)) {
    const before = done
    outcomes.push(await routeBatch(change, batch, (part) => onProgress(before + part)))
    done += batch.length
    onProgress(done)
  }
  return {
    routed: outcomes.flatMap(({ routed }) => routed),
    unrouted: outcomes.flatMap(({ unrouted }) => unrouted),
  }
}

/**
 * Gives numbers back their previous applications. Numbers whose application was changed again since keep it.
 * @param application_sid the application that all of them got
 * @returns the numbers that keep their application
 */
export const restoreRouting = async (
  application_sid: string | null,
  routed: readonly Routed[],
): Promise<readonly Unrouted[]> => {
  const unrouted: Unrouted[] = []
  for (const [previous, rows] of groupBy(routed, (row) => row.previous_application_sid)) {
    const change = { application_sid: previous, current_application_sid: application_sid }
    const numbers = rows.map(({ number }) => number)
    unrouted.push(...(await routeNumbers(change, numbers)).unrouted)
  }
  return unrouted
}
