import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { maxRouted } from '@patchbay/contract/phone-number/bulk-limits'
import { api } from '../../../api/client.ts'
import { ApiError, errorMessage } from '../../../api/api-error.ts'
import { mapWithConcurrency, chunk, retryWhenBusy } from './map-with-concurrency.ts'
import { takesMany } from '../queries.ts'

/** A number that could not be given the application. */
export interface Unrouted {
  number: NamedPhoneNumber
  why: string
}

const endsSession = (error: unknown): boolean =>
  error instanceof ApiError && (error.kind === 'session-ended' || error.kind === 'unreachable')

const whyNot = (error: unknown): string => {
  if (endsSession(error)) throw error
  return errorMessage(error)
}

type Told = (done: number) => void

/** A lot that is refused as a whole leaves each of its numbers as it was. */
const routeLot = async (application_sid: string | null, lot: readonly NamedPhoneNumber[]): Promise<Unrouted[]> => {
  const phone_number_sids = lot.map(({ phone_number_sid }) => phone_number_sid)
  const body = { application_sid, phone_number_sids }
  try {
    const { failed } = await retryWhenBusy(() => api('POST /patchbay/phone-numbers/routing', { body }))
    const whys = new Map(failed.map(({ phone_number_sid, why }) => [phone_number_sid, why]))
    return lot.flatMap((number) => {
      const why = whys.get(number.phone_number_sid)
      return why === undefined ? [] : [{ number, why }]
    })
  } catch (error) {
    const why = whyNot(error)
    return lot.map((number) => ({ number, why }))
  }
}

const routeLots = async (application_sid: string | null, numbers: readonly NamedPhoneNumber[], told: Told) => {
  const unrouted: Unrouted[] = []
  let done = 0
  for (const lot of chunk(numbers, maxRouted)) {
    unrouted.push(...(await routeLot(application_sid, lot)))
    done += lot.length
    told(done)
  }
  return unrouted
}

const routeEach = async (application_sid: string | null, numbers: readonly NamedPhoneNumber[], told: Told) => {
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
        return [{ number, why: whyNot(error) }]
      }
    },
    told,
  )
  return all.flat()
}

/** Leads numbers to an application, or to none; answers those that stay as they were. */
export const routeNumbers = (
  application_sid: string | null,
  numbers: readonly NamedPhoneNumber[],
  told: Told,
): Promise<Unrouted[]> => (takesMany() ? routeLots : routeEach)(application_sid, numbers, told)
