import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { maxRouted } from '@patchbay/contract/phone-number/bulk-limits'
import { api } from '../../../api/client.ts'
import { ApiError, errorMessage } from '../../../api/api-error.ts'
import { mapWithConcurrency, chunk, retryWhenBusy } from './map-with-concurrency.ts'
import { hasBulkEndpoints } from '../queries.ts'

/** A number whose application could not be changed. */
export interface Unrouted {
  number: NamedPhoneNumber
  why: string
}

const endsSession = (error: unknown): boolean =>
  error instanceof ApiError && (error.kind === 'session-ended' || error.kind === 'unreachable')

const toFailureReason = (error: unknown): string => {
  if (endsSession(error)) throw error
  return errorMessage(error)
}

type OnProgress = (done: number) => void

/** If the request for a batch fails, all of its numbers keep their routing. */
const routeBatch = async (application_sid: string | null, batch: readonly NamedPhoneNumber[]): Promise<Unrouted[]> => {
  const phone_number_sids = batch.map(({ phone_number_sid }) => phone_number_sid)
  const body = { application_sid, phone_number_sids }
  try {
    const { failed } = await retryWhenBusy(() => api('POST /patchbay/phone-numbers/routing', { body }))
    const reasonsBySid = new Map(failed.map(({ phone_number_sid, why }) => [phone_number_sid, why]))
    return batch.flatMap((number) => {
      const why = reasonsBySid.get(number.phone_number_sid)
      return why === undefined ? [] : [{ number, why }]
    })
  } catch (error) {
    const why = toFailureReason(error)
    return batch.map((number) => ({ number, why }))
  }
}

const routeBatches = async (
  application_sid: string | null,
  numbers: readonly NamedPhoneNumber[],
  onProgress: OnProgress,
) => {
  const unrouted: Unrouted[] = []
  let done = 0
  for (const batch of chunk(numbers, maxRouted)) {
    unrouted.push(...(await routeBatch(application_sid, batch)))
    done += batch.length
    onProgress(done)
  }
  return unrouted
}

const routeEach = async (
  application_sid: string | null,
  numbers: readonly NamedPhoneNumber[],
  onProgress: OnProgress,
) => {
  const all = await mapWithConcurrency(
    numbers,
    async (number): Promise<Unrouted[]> => {
      const { phone_number_sid } = number
      try {
        await retryWhenBusy(() =>
          api('PUT /PhoneNumbers/:phone_number_sid', { params: { phone_number_sid }, body: { application_sid } }),
        )
        return []
      } catch (error) {
        return [{ number, why: toFailureReason(error) }]
      }
    },
    onProgress,
  )
  return all.flat()
}

/** Sets or clears the application of phone numbers. Returns the numbers that could not be changed. */
export const routeNumbers = (
  application_sid: string | null,
  numbers: readonly NamedPhoneNumber[],
  onProgress: OnProgress,
): Promise<Unrouted[]> => (hasBulkEndpoints() ? routeBatches : routeEach)(application_sid, numbers, onProgress)
