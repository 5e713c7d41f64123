import type { RegistrationHealth } from '@patchbay/contract/carrier-health'
import { type AcceptedRegistration, judgeRegistration, settleRegistration } from '@patchbay/rules/routing/registration'
import { findAcceptedRegistration } from '@patchbay/rules/sip/findings/accepted-registration'
import { toLadder } from '@patchbay/rules/sip/ladder'
import { toSipCall } from '@patchbay/rules/sip/transactions'
import type { Captures } from '../../call-data/captures/captures.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { parseRegisterStatus } from './register-status.ts'

/** Judges the registrations with carriers by their reports, and refusals also by captured REGISTERs. */

interface RegistrationRow {
  voip_carrier_sid: string
  register_status: string | null
}

/** Maximum number of captures that are read at once. Other failed registrations are judged by their report. */
const maxCaptures = 20

/** A capture is a supplement, so it is not waited for longer. */
const timeoutSeconds = 1.5

const isRegister = { kinds: ['register'], includes: () => true } as const

const readAccepted = async (captures: Captures, callId: string): Promise<AcceptedRegistration | undefined> => {
  const reading = captures.read(callId, isRegister)
  const capture = await withTimeout(reading, timeoutSeconds, () => new Error('the store of captures does not respond'))
  return findAcceptedRegistration(toSipCall(toLadder(capture)))
}

/**
 * Creates a reader for the health of registrations, by carrier SID. A capture that cannot be read proves nothing: the
 * report decides then. Homer is not queried, because its responses take too long for lists.
 */
export const createRegistrationReader =
  (captures: Captures) =>
  async (rows: readonly RegistrationRow[], now: number): Promise<ReadonlyMap<string, RegistrationHealth>> => {
    const judged = rows.map(({ voip_carrier_sid, register_status }) => {
      const report = parseRegisterStatus(register_status)
      return { voip_carrier_sid, report, health: judgeRegistration(report, now) }
    })
    const refused = captures.filters ? judged.filter(({ health }) => health.state === 'failing') : []
    const settled = await Promise.all(
      refused.slice(0, maxCaptures).map(async ({ voip_carrier_sid, report, health }) => {
        const { callId } = report
        const accepted =
          typeof callId === 'string' ? await readAccepted(captures, callId).catch(() => undefined) : undefined
        return [voip_carrier_sid, settleRegistration(health, report, accepted, now)] as const
      }),
    )
    return new Map([...judged.map(({ voip_carrier_sid, health }) => [voip_carrier_sid, health] as const), ...settled])
  }

export type RegistrationReader = ReturnType<typeof createRegistrationReader>
