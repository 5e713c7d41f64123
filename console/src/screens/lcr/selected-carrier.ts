import type { CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { minimumAttempts } from '@patchbay/rules/calls/minimum-attempts'
import { judgeRegistration } from '@patchbay/rules/routing/registration'
import { describeHealth, describeRegistration } from '../../sections/carrier-health/health-labels.ts'

/** Says what is known about the carrier that the routes select. Pure. */

export interface Selection {
  /** `unknown` if nothing is known to fail, and nothing shows that calls arrive. */
  outcome: 'good' | 'bad' | 'unknown'
  /** Follows the name of the carrier. */
  text: string
  /** Sentences about its state. */
  reasons: readonly string[]
}

interface SelectedCarrier {
  carrier: Pick<VoipCarrier, 'is_active' | 'requires_register' | 'register_status'>
  activeGateways: number
  /** True if the platform may choose another carrier, or reject the call because its account is inactive. */
  isUncertain: boolean
  /** Undefined if the server does not report it. */
  health: CarrierHealthSummary | undefined
}

interface Knowledge {
  isFailing: boolean
  reasons: readonly string[]
}

/** The API of jambonz reports the registration only. One that was never reported is not known to fail. */
const judgeReport = ({ requires_register, register_status }: SelectedCarrier['carrier']): Knowledge => {
  if (!requires_register) return { isFailing: false, reasons: [] }
  const registration = judgeRegistration(register_status, Date.now())
  return {
    isFailing: registration.state === 'failing' || registration.state === 'stale',
    reasons: [describeRegistration(registration)].filter(Boolean),
  }
}

const judgeHealth = (health: CarrierHealthSummary): Knowledge => ({
  isFailing: health.state === 'failing' || health.state === 'partly_failing',
  reasons: [describeHealth(health)].filter(Boolean),
})

/** Returns whether enough calls were tried to expect an answer, and none was answered, whatever the pings say. */
const answersNothing = ({ calls }: CarrierHealthSummary): boolean =>
  calls !== null && calls.attempts >= minimumAttempts && calls.answered === 0

/** Judges whether a call that the routes give to this carrier can arrive, by what is known about the carrier now. */
export const judgeSelection = ({ carrier, activeGateways, isUncertain, health }: SelectedCarrier): Selection => {
  if (activeGateways === 0)
    return { outcome: 'bad', text: 'is selected, but has no active outbound gateway, so the call fails.', reasons: [] }
  const { isFailing, reasons } = health === undefined ? judgeReport(carrier) : judgeHealth(health)
  if (!carrier.is_active || isFailing)
    return {
      outcome: 'bad',
      text: 'is selected, but calls may not reach it.',
      reasons: [...(carrier.is_active ? [] : ['It is inactive.']), ...reasons],
    }
  const isProven = health?.state === 'no_failure_known' && !isUncertain && !answersNothing(health)
  return { outcome: isProven ? 'good' : 'unknown', text: 'is selected.', reasons }
}
