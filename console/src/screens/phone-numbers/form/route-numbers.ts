import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { maxRouted } from '@patchbay/contract/phone-numbers/bulk-limits'
import { chunk, failureReason, retryWhenBusy } from '../../../api/batches.ts'
import { api } from '../../../api/client.ts'

/** A number whose application could not be changed. */
export interface Unrouted {
  number: NamedPhoneNumber
  why: string
}

type OnProgress = (done: number) => void

/** If the request for a batch fails, all of its numbers keep their routing. */
const routeBatch = async (
  application_sid: string | null,
  batch: readonly NamedPhoneNumber[],
  onProgress: OnProgress,
): Promise<Unrouted[]> => {
  const phone_number_sids = batch.map(({ phone_number_sid }) => phone_number_sid)
  const body = { application_sid, phone_number_sids }
  try {
    const { failed } = await retryWhenBusy(() => api('POST /patchbay/phone-numbers/routing', { body }, { onProgress }))
    const reasonsBySid = new Map(failed.map(({ phone_number_sid, why }) => [phone_number_sid, why]))
    return batch.flatMap((number) => {
      const why = reasonsBySid.get(number.phone_number_sid)
      return why === undefined ? [] : [{ number, why }]
    })
  } catch (error) {
    const why = failureReason(error)
    return batch.map((number) => ({ number, why }))
  }
}

/** Sets or clears the application of phone numbers. Returns the numbers that could not be changed. */
export const routeNumbers = async (
  application_sid: string | null,
  numbers: readonly NamedPhoneNumber[],
  onProgress: OnProgress,
): Promise<Unrouted[]> => {
  const unrouted: Unrouted[] = []
  let done = 0
  for (const batch of chunk(numbers, maxRouted)) {
    const before = done
    unrouted.push(...(await routeBatch(application_sid, batch, (part) => onProgress(before + part))))
    done += batch.length
    onProgress(done)
  }
  return unrouted
}
